import { z } from 'zod';
import { instant } from './instant.ts';

const text = z.string().min(1).max(200);
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'not a SHA-256 in lower-case hex');

/** Where a statement of a model comes from; all but the decision of a human are required. */
export const aiProvenance = z.strictObject({
  provider: text,
  model: text,
  modelVersion: text,
  promptHash: hash,
  inputHash: hash,
  /** 0 to 1. */
  confidence: z.number().min(0).max(1),
  generatedAt: instant,
  execution: z.enum(['cloud', 'edge']),
  /** Reference of the human's decision, where one was made. */
  hitlDecisionRef: text.optional(),
});

/** What made an AI event. */
export type AIProvenance = z.output<typeof aiProvenance>;

import { defineEvent } from '@melmastoon/catalog/define-event';
import { code, count, sha256 } from '@melmastoon/catalog/hotel-parts';
import { idText, instant } from '@melmastoon/catalog/parts';
import { z } from 'zod';

// Every event here travels with `aiProvenance` in its metadata (ENV-23): give it to `.from`. Prompts and outputs stay
// in the service, because they may name a guest: events carry hashes of them.

/** What a model in the cloud is asked for. */
export const completionTasks = [
  'guest_reply',
  'translation',
  'review_summary',
  'price_suggestion',
  'report_summary',
] as const;

/** What a small model on a device is asked for. */
export const localTasks = ['no_show_risk', 'arrival_forecast', 'cleaning_order', 'booking_check'] as const;

/** Why moderation says no. */
export const refusalCategories = [
  'personal_data',
  'payment_data',
  'hate',
  'violence',
  'sexual',
  'self_harm',
  'illegal',
  'prompt_injection',
  'off_topic',
] as const;

/** What looks wrong. */
export const anomalySignals = [
  'unusual_rate',
  'many_bookings_one_source',
  'repeated_no_show',
  'refund_pattern',
  'many_declines',
  'cash_variance',
  'key_used_after_check_out',
  'many_key_changes',
  'lock_silent',
] as const;

/** Why a person did not take a suggestion as it was. */
export const decisionReasons = ['wrong', 'unsafe', 'not_useful', 'against_policy', 'better_known'] as const;

const score = z.number().min(0).max(1);

/** A model in the cloud has answered. */
export const CompletionCompleted = defineEvent({
  subject: 'melmastoon.ai_orchestrator.completion.completed.v1',
  summary: 'a completion finished',
  retention: 'cold',
  payload: z.strictObject({
    completionId: idText('cmp'),
    propertyId: idText('pro').nullable(),
    task: z.enum(completionTasks),
    outputHash: sha256,
    inputTokens: count,
    outputTokens: count,
    durationMs: count,
    /** True: nothing happens until a person has decided (HitlDecided). */
    needsDecision: z.boolean(),
  }),
  aggregateId: p => p.completionId,
  idempotencyKey: p => `${p.completionId}:completed`,
});

/** Moderation stopped a request before the model saw it, or an answer before anybody else did. */
export const CompletionRefused = defineEvent({
  subject: 'melmastoon.ai_orchestrator.completion.refused.v1',
  summary: 'moderation refused a completion',
  retention: 'cold',
  payload: z.strictObject({
    completionId: idText('cmp'),
    propertyId: idText('pro').nullable(),
    task: z.enum(completionTasks),
    stage: z.enum(['before_model', 'after_model']),
    categories: z.array(z.enum(refusalCategories)).min(1),
    policyVersion: z.int().min(1),
  }),
  aggregateId: p => p.completionId,
  idempotencyKey: p => `${p.completionId}:refused`,
});

/** A model on a device has judged; told when the device is online again, once however often it is replayed. */
export const InferenceLocalCompleted = defineEvent({
  subject: 'melmastoon.ai_orchestrator.inference.local_completed.v1',
  summary: 'an inference on a device was recorded',
  retention: 'cold',
  payload: z.strictObject({
    /** Made by the device. */
    inferenceId: idText('inf'),
    deviceId: idText('dev'),
    propertyId: idText('pro'),
    task: z.enum(localTasks),
    /** What was judged; null: the house as a whole. */
    reservationId: idText('rsv').nullable(),
    score,
    /** The model's word for it. */
    label: code,
    /** Of the ONNX file. */
    modelHash: sha256,
    /** By the device's clock: for people, never for order (safety rule 25). */
    inferredAt: instant,
    durationMs: count,
  }),
  aggregateId: p => p.inferenceId,
  idempotencyKey: p => `${p.inferenceId}:recorded`,
});

/** Something looks wrong; a person looks at it. Nothing is blocked by this event alone. */
export const AnomalyDetected = defineEvent({
  subject: 'melmastoon.ai_orchestrator.anomaly.detected.v1',
  summary: 'an anomaly was raised',
  retention: 'cold',
  payload: z.strictObject({
    anomalyId: idText('ano'),
    propertyId: idText('pro'),
    about: z.discriminatedUnion('area', [
      z.strictObject({ area: z.literal('booking'), reservationId: idText('rsv') }),
      z.strictObject({ area: z.literal('payment'), paymentId: idText('pay') }),
      z.strictObject({
        area: z.literal('lock'),
        lockId: idText('lck'),
        /** Null: about the lock, not about a key. */
        credentialId: idText('key').nullable(),
      }),
    ]),
    signal: z.enum(anomalySignals),
    severity: z.enum(['low', 'medium', 'high', 'critical']),
    score,
    /** What is usually done then; a person decides. */
    advice: z.enum(['look', 'call_guest', 'hold_payment', 'suspend_key']),
  }),
  aggregateId: p => p.anomalyId,
  idempotencyKey: p => `${p.anomalyId}:detected`,
});

const decidable = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('completion'), completionId: idText('cmp') }),
  z.strictObject({ kind: z.literal('inference'), inferenceId: idText('inf') }),
  z.strictObject({ kind: z.literal('anomaly'), anomalyId: idText('ano') }),
]);

/** A person has decided about what a model said. The first decision stands. */
export const HitlDecided = defineEvent({
  subject: 'melmastoon.ai_orchestrator.hitl.decided.v1',
  summary: 'a decision of a person was recorded',
  retention: 'cold',
  payload: z
    .strictObject({
      decisionId: idText('hdc'),
      about: decidable,
      propertyId: idText('pro').nullable(),
      outcome: z.enum(['accepted', 'modified', 'rejected']),
      /** Hash of what was put into effect; null when nothing was. */
      appliedHash: sha256.nullable(),
      /** Null exactly when it was accepted as it was. */
      reason: z.enum(decisionReasons).nullable(),
      decidedBy: idText('usr'),
    })
    .refine(p => (p.appliedHash === null) === (p.outcome === 'rejected'), 'puts a rejected thing into effect')
    .refine(p => (p.reason === null) === (p.outcome === 'accepted'), 'needs a reason unless accepted'),
  aggregateId: p => p.decisionId,
  idempotencyKey: p => `${decidedId(p.about)}:decided`,
});

/** All events of ai-orchestrator-service. */
export const events = [
  CompletionCompleted,
  CompletionRefused,
  InferenceLocalCompleted,
  AnomalyDetected,
  HitlDecided,
];

function decidedId(about: z.output<typeof decidable>): string {
  switch (about.kind) {
    case 'completion':
      return about.completionId;
    case 'inference':
      return about.inferenceId;
    case 'anomaly':
      return about.anomalyId;
  }
}

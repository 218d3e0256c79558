import { catalogue } from './catalogue.ts';

/** The platform's `defineEvent`: its own prefix, service tokens and policies. */
export const { defineEvent } = catalogue;

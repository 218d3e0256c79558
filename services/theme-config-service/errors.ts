import { defineErrors } from '@ghasi/domain-primitives/errors';

/** What theme-config-service may refuse. Codes are forever. */
export const errors = defineErrors('theme_config', {
  CONTRAST_TOO_LOW: {
    status: 422,
    text: 'People could not read this: {count} pairs of colours are too alike',
  },
  PRESET_INCOMPLETE: { status: 422, text: 'A look needs {count} more tokens before it can be published' },
  PRESET_NOT_PUBLISHED: { status: 409, text: 'Publish the look before a brand is built on it' },
  NOTHING_TO_PUBLISH: { status: 409, text: 'The draft is what is published already' },
  THEME_EXISTS: { status: 409, text: 'There is a brand for this already: change that one' },
  BLOCK_WITHDRAWN: { status: 409, text: 'This text is withdrawn already' },
  TOO_MANY_BLOCKS: { status: 409, text: 'A brand has at most {most} texts' },
});

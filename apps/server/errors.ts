import { defineErrors } from '@ghasi/domain-primitives/errors';

/** Why a process does not start. Each is one line for the person who typed the command. */
export const serverErrors = defineErrors('server', {
  BAD_ENVIRONMENT: { status: 500, text: 'The environment is not usable: {reasons}' },
  BAD_PROVIDERS: { status: 500, text: 'The providers file {file} is not usable: {reason}' },
  NO_IDEMPOTENCY: {
    status: 500,
    text: "These services take writes and have no table for idempotency keys: {schemas}. Add select app.add_idempotency('<schema>') to a migration of each.",
  },
  NO_SUCH_SERVICE: { status: 500, text: 'SERVICES names {name}, which does not exist; there are: {known}' },
  PORT_TAKEN: {
    status: 500,
    text: 'Port {port} is taken. Stop the other program or choose another port with --port.',
  },
  CANNOT_LISTEN: { status: 500, text: 'Nobody can be served at HOST {host}, PORT {port}: {reason}' },
  NO_SECRET: {
    status: 500,
    text: 'MELM_SECRET is not set. Roles and keys derive from it: set it to 32 or more random characters, the same on every process.',
  },
  WEAK_SECRET: {
    status: 500,
    text: 'MELM_SECRET is too simple to guess nothing from: use 32 or more random characters.',
  },
  OTHER_SECRET: {
    status: 500,
    text: 'This database was set up with another MELM_SECRET. Set that one, as every other process has it; events signed with it would become dead letters. If it is meant to change, stop all processes and run "melm migrate".',
  },
  OTHER_BROKER: {
    status: 500,
    text: 'BROKER is {broker} here, and processes that run consume through {other}: neither would hear the other. Set the same in every process; to change it, stop all of them first.',
  },
  EMBEDDED_SECRET: {
    status: 500,
    text: 'The embedded database in {folder} was set up with another secret. Set MELM_SECRET to that one, or put the file {file} back; --reset starts from nothing.',
  },
  EMBEDDED_NEWER: {
    status: 500,
    text: '{problem} Or have "melm start --reset" remove the embedded database in {folder} and start from nothing.',
  },
  TEST_DOOR_OPEN: {
    status: 500,
    text: 'MELM_ENV=production, yet {door} is set. That is a test door: remove it.',
  },
  NOT_EMBEDDED: { status: 500, text: '--reset only removes the embedded database; DATABASE_URL is set.' },
  NO_DATABASE: {
    status: 500,
    text: 'There is no database in {folder}. Say where with --data-dir or DATABASE_URL, or make one with "melm start".',
  },
  DATABASE_UNREACHABLE: { status: 503, text: 'PostgreSQL at {address} does not let us in: {reason}' },
  REDIS_UNREACHABLE: { status: 503, text: 'Redis at {address} cannot be used: {reason}' },
});

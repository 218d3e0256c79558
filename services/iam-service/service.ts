import { defineService, type Service } from '@ghasi/backbone/define-service';
import { membershipOf } from '@melmastoon/tenant-service/contract';
import { iamAnswers } from './answers.ts';
import { errors } from './errors.ts';
import { events } from './events.ts';
import { type IamParts, openIam } from './iam.ts';
import { iamSchedules } from './jobs.ts';
import { authRoutes } from './routes/auth.ts';
import { deviceRoutes } from './routes/devices.ts';
import { factorRoutes } from './routes/factors.ts';
import { keyRoutes } from './routes/keys.ts';
import { meRoutes } from './routes/me.ts';
import { operatorRoutes } from './routes/operators.ts';
import { securityLogRoutes } from './routes/security-log.ts';
import { stepUpRoutes } from './routes/step-up.ts';
import * as accounts from './tables/accounts.ts';
import * as sessions from './tables/sessions.ts';

/** Who somebody is and how he proves it: accounts, sessions, devices, second factors, keys. */
export function createIamService(parts: IamParts): Service {
  const iam = openIam(parts);
  return defineService({
    name: 'iam-service',
    schema: 'iam',
    migrations: new URL('./migrations/', import.meta.url),
    tables: { ...accounts, ...sessions },
    publishes: events,
    routes: [
      ...authRoutes(iam), // sign in, second factor, refresh, one-time links
      ...meRoutes(iam), // my sessions, role, password
      ...factorRoutes(iam), // my TOTP, passkeys, recovery codes
      ...stepUpRoutes(iam), // confirming one action
      ...operatorRoutes(iam), // accounts of the tenant
      ...deviceRoutes(iam), // pairing and revoking devices
      ...securityLogRoutes(iam),
      ...keyRoutes(iam), // JWKS
    ],
    schedules: iamSchedules(iam), // cleanup.purge_sessions, iam.rotate_keys
    answers: iamAnswers(iam), // iam.verify-access, iam.consume-attestation
    needs: [membershipOf],
    errors,
  });
}

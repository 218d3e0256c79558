import { customType, pgSchema } from '@ghasi/db/drizzle-tables';
import { type Id, idFromUuid, idToUuid, type TenantId } from '@ghasi/domain-primitives/ids';
import type { Prefix } from '@ghasi/domain-primitives/naming';

/** Where all tables of this service are. */
export const schema = pgSchema('iam');

/** A uuid in the database, `ses_01J8…` in the code. */
export const id = <P extends Prefix>(prefix: P) =>
  customType<{ data: Id<P>; driverData: string }>({
    dataType: () => 'uuid',
    toDriver: idToUuid,
    fromDriver: uuid => idFromUuid(prefix, uuid),
  });

export const operatorId = id('usr');
export const sessionId = id('ses');
export const deviceId = id('dev');

/** Hashes, keys and sealed secrets. */
export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });

const tenantId = customType<{ data: TenantId; driverData: string }>({ dataType: () => 'uuid' });

/** Whose row it is; the first column of every table. */
export const tenant = () => tenantId().notNull();

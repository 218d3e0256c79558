import { serviceRole } from '@ghasi/db/roles';
import { dieAt } from '@ghasi/testing/dying-process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workKeyNow } from './commands/work-key.ts';
import { type House, openHouse } from './fixtures/house.ts';
import { inHours, newStay } from './fixtures/stay.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse({ jobs: false }); // keys are worked by the process that is killed, and by the next one
});
afterAll(() => house?.close());

const worker = new URL('./fixtures/dying-worker.ts', import.meta.url);

test.each([
  ['lock_integration.before-call', 0],
  ['lock_integration.after-call', 1],
] as const)(
  'SAGA-05: a process killed at %s leaves a question behind; the next one asks, and the door has one code',
  async (failpoint, made) => {
    const { owner, tenantId, rooms, simulator, ...hotel } = await house.newHotel('ttlock', { rooms: 1 });
    const window = { from: inHours(-2), until: inHours(50) };
    const stay = newStay({ hotel, window, rooms: [rooms[0]?.roomId ?? null], isPaid: false });
    await house.tell(tenantId, stay.checkInStarted());
    const key = async () => {
      const [found] = (await house.keys(owner, stay)).filter(({ status }) => status !== 'ready');
      if (found === undefined) throw new Error('there is no key');
      return found;
    };
    const { credentialId } = await key();
    const atDoor = () =>
      [...simulator.world.locks.values()]
        .flatMap(lock => [...lock.keys.values()])
        .filter(({ name }) => name === credentialId).length;

    const { admin, roleUrl } = house.system.database;
    const url = roleUrl(serviceRole('lock_integration'));
    const ending = await dieAt(worker, failpoint, { url, vendorUrl: simulator.url, tenantId, credentialId });
    expect(ending).toEqual({ code: null, signal: 'SIGKILL' });
    expect(await key()).toMatchObject({ status: 'wanted' });
    expect(atDoor()).toBe(made);

    await admin('update lock_integration.keys set leased_until = now() where tenant_id = $1', [tenantId]);
    const worked = await workKeyNow(
      work => house.system.run(house.service, tenantId, ctx => work(ctx), undefined),
      house.locks,
      credentialId,
    );
    expect(worked).toBe('done');
    await house.system.settled();
    expect(await key()).toMatchObject({ status: 'issued' });
    expect(atDoor()).toBe(1);
    const told = (await house.told(tenantId)).map(({ event }) => event);
    expect(told).toEqual(['key_credential.issued']);
  },
);

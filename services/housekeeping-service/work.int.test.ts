import type { Id } from '@ghasi/domain-primitives/ids';
import { newId } from '@ghasi/domain-primitives/ids';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { roomStatusAnswer } from './answers.ts';
import { FIRST_DAY, type House, type Inn, openHouse } from './fixtures/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const at = (inn: Inn, role = 'housekeeping') => ({ tenantId: inn.tenantId, roles: [role] });
const subjects = async ({ tenantId }: Inn) =>
  (await house.published(tenantId)).map(({ topic }) => topic.split('.').slice(2, 4).join('.'));

/** A room whose guest has left, and the task that came of it. */
async function leftRoom(rules: object = {}) {
  const inn = await house.inn(1, rules);
  const [roomId] = inn.rooms as [Id<'rom'>];
  const booking = inn.book({ arrival: FIRST_DAY, departure: '2027-05-12', roomId });
  await house.hear(inn.tenantId, booking.checkedIn(), booking.checkedOut({ businessDate: FIRST_DAY }));
  const [task] = await house.tasksOf(inn.tenantId, roomId);
  return { inn, roomId, id: task?.id as Id<'hkt'>, points: task?.checklist.map((_, place) => place) };
}

const step = (inn: Inn, id: string, path: string, body: object = {}) =>
  house.send(at(inn), 'POST', `/housekeeping/tasks/${id}/${path}`, body);
const board = async (inn: Inn) =>
  (await house.send(at(inn), 'GET', `/housekeeping/rooms?propertyId=${inn.propertyId}`)).body;

describe('the way of a task', () => {
  test('SAGA-45, R14: assigned, started, ticked, done, inspected: the room is ready and each step was told', async () => {
    const { inn, roomId, id, points } = await leftRoom({ inspectedBeforeCheckIn: true });
    const maid = newId('usr');
    expect((await step(inn, id, 'assign', { assigneeId: maid })).body).toMatchObject({
      status: 'assigned',
      assigneeId: maid,
    });
    expect((await step(inn, id, 'start')).body).toMatchObject({ status: 'started', assigneeId: maid });
    const early = await step(inn, id, 'complete', { outcome: 'done' });
    expect(early).toMatchObject({ status: 409, body: { code: 'CHECKLIST_INCOMPLETE' } });
    await house.send(at(inn), 'PUT', `/housekeeping/tasks/${id}/checklist`, { done: points });
    expect((await step(inn, id, 'complete', { outcome: 'done' })).body).toMatchObject({
      status: 'completed',
    });
    expect((await board(inn)).rooms).toMatchObject([{ condition: 'clean', notReady: 'not_inspected' }]);
    const passed = await step(inn, id, 'inspect', { passed: true });
    expect(passed.body).toMatchObject({ inspection: 'passed' });
    expect((await board(inn)).rooms).toMatchObject([
      { roomId, condition: 'inspected', ready: true, tasks: [] },
    ]);
    expect(await subjects(inn)).toEqual([
      'room.status_changed', // in
      'room.status_changed', // out
      'task.created',
      'task.assigned',
      'task.completed',
      'room.status_changed',
      'room.status_changed',
    ]);
    const told = await house.published(inn.tenantId);
    expect(told.at(-1)?.payload).toMatchObject({ cause: 'inspection', taskId: id });
    expect(told.at(4)?.payload).toMatchObject({ outcome: 'done', ticketId: null });
  });

  test('what fails its inspection is dirty again and is cleaned again, at once', async () => {
    const { inn, roomId, id, points } = await leftRoom();
    await house.send(at(inn), 'PUT', `/housekeeping/tasks/${id}/checklist`, { done: points });
    await step(inn, id, 'complete', { outcome: 'done', note: 'window' });
    const failed = await step(inn, id, 'inspect', { passed: false, note: 'hair in the sink' });
    expect(failed.body).toMatchObject({ inspection: 'failed' });
    const [again] = await house.tasksOf(inn.tenantId, roomId);
    expect(again).toMatchObject({ kind: 'departure_clean', rush: true, note: 'hair in the sink' });
    expect((await board(inn)).rooms).toMatchObject([{ condition: 'dirty', notReady: 'not_clean' }]);
    const twice = await step(inn, id, 'inspect', { passed: true });
    expect(twice).toMatchObject({ status: 409, body: { code: 'NOT_INSPECTABLE' } });
  });

  test('a guest who wants no service, and work nobody needs, change nothing in the room', async () => {
    const { inn, roomId, id } = await leftRoom();
    const asked = { roomId, kind: 'turndown', note: 'honeymoon' };
    const { body: turndown } = await house.send(at(inn, 'front_desk'), 'POST', '/housekeeping/tasks', asked);
    const twice = await house.send(at(inn), 'POST', '/housekeeping/tasks', asked);
    expect(twice).toMatchObject({ status: 409, body: { code: 'TASK_EXISTS' } });
    expect((await step(inn, turndown.id, 'complete', { outcome: 'refused_by_guest' })).status).toBe(200);
    expect((await step(inn, id, 'cancel', { note: 'the painters come' })).body).toMatchObject({
      status: 'cancelled',
      outcome: 'not_needed',
    });
    expect((await board(inn)).rooms).toMatchObject([{ condition: 'dirty', tasks: [] }]);
    for (const path of ['start', 'cancel'])
      expect(await step(inn, id, path)).toMatchObject({ status: 409, body: { code: 'TASK_ENDED' } });
    const outcomes = (await house.published(inn.tenantId))
      .filter(({ topic }) => topic.includes('task.completed'))
      .map(({ payload }) => (payload as { outcome: string }).outcome);
    expect(outcomes).toEqual(['refused_by_guest', 'not_needed']);
  });

  test('an inspection on the list needs a clean room and makes it inspected', async () => {
    const inn = await house.inn(1);
    const [roomId] = inn.rooms;
    const asked = { roomId, kind: 'inspection' };
    const { body: task } = await house.send(at(inn), 'POST', '/housekeeping/tasks', asked);
    const early = await step(inn, task.id, 'complete', { outcome: 'done' });
    expect(early).toMatchObject({ status: 409, body: { code: 'ROOM_NOT_CLEAN' } });
    const set = { roomIds: [roomId], condition: 'clean' };
    expect((await house.send(at(inn), 'POST', '/housekeeping/room-conditions', set)).status).toBe(200);
    const seen = await step(inn, task.id, 'inspect', { passed: true });
    expect(seen.body).toMatchObject({ status: 'completed', inspection: 'passed' });
    expect((await board(inn)).rooms).toMatchObject([{ condition: 'inspected' }]);
  });

  test('an Idempotency-Key sent twice completes once', async () => {
    const { inn, id, points } = await leftRoom();
    await house.send(at(inn), 'PUT', `/housekeeping/tasks/${id}/checklist`, { done: points });
    const path = `/housekeeping/tasks/${id}/complete`;
    const key = crypto.randomUUID();
    const replies = [
      await house.send(at(inn), 'POST', path, { outcome: 'done' }, { 'idempotency-key': key }),
      await house.send(at(inn), 'POST', path, { outcome: 'done' }, { 'idempotency-key': key }),
    ];
    expect(replies[1]).toEqual(replies[0]);
    expect(replies[0]?.status).toBe(200);
  });
});

test('X-089: however many ask at once, a room waits for one kind of work once', async () => {
  const inn = await house.inn(1);
  const asked = { roomId: inn.rooms[0], kind: 'deep_clean' };
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => house.send(at(inn), 'POST', '/housekeeping/tasks', asked)),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
  expect(await subjects(inn)).toEqual(['task.created']);
});

describe('rooms by hand', () => {
  test('R26: several rooms at once, all or none, and never from dirty to inspected', async () => {
    const inn = await house.inn(2);
    const set = (condition: string, roomIds = inn.rooms) =>
      house.send(at(inn), 'POST', '/housekeeping/room-conditions', { roomIds, condition });
    expect(await set('inspected')).toMatchObject({ status: 409, body: { code: 'CONDITION_REFUSED' } });
    expect((await set('clean', inn.rooms.slice(0, 1))).status).toBe(200);
    expect(await set('inspected')).toMatchObject({ status: 409 });
    const states = (await board(inn)).rooms.map(({ condition }: { condition: string }) => condition);
    expect(states).toEqual(['clean', 'dirty']);
  });

  test('while cleaning is on the list, finishing it says that the room is clean', async () => {
    const { inn, roomId } = await leftRoom();
    const set = { roomIds: [roomId], condition: 'clean' };
    const refused = await house.send(at(inn), 'POST', '/housekeeping/room-conditions', set);
    expect(refused).toMatchObject({ status: 409, body: { code: 'TASK_OPEN' } });
  });

  test('a house writes down how its work is done; tasks from then on follow it', async () => {
    const inn = await house.inn(1);
    const path = `/housekeeping/houses/${inn.propertyId}`;
    const plan = { estimatedMinutes: 50, items: ['تخت', 'حمام'] };
    expect((await house.send(at(inn, 'manager'), 'PUT', `${path}/plans/deep_clean`, plan)).status).toBe(200);
    const habits = { stayoverService: false, deepCleanEvery: 90 };
    const { body } = await house.send(at(inn, 'manager'), 'PUT', path, habits);
    expect(body).toMatchObject({ ...habits, businessDate: FIRST_DAY, plans: { deep_clean: plan } });
    const asked = { roomId: inn.rooms[0], kind: 'deep_clean' };
    const { body: task } = await house.send(at(inn), 'POST', '/housekeeping/tasks', asked);
    expect(task).toMatchObject({ estimatedMinutes: 50, checklist: [{ item: 'تخت', done: false }, {}] });
    const listed = await house.send(
      at(inn),
      'GET',
      `/housekeeping/tasks?propertyId=${inn.propertyId}&status=open`,
    );
    expect(listed.body.tasks).toEqual([task]);
  });
});

test('R14: the answer at check-in follows the rule of the house, and names each reason', async () => {
  const answer = async (inn: Inn, roomIds = inn.rooms) => {
    const { tenantId, propertyId } = inn;
    const reply = await roomStatusAnswer.handle(house.answering, { tenantId, propertyId, roomIds });
    return (reply as { rooms: { reason: string | null; ready: boolean }[] }).rooms.map(
      ({ reason }) => reason,
    );
  };
  const set = (inn: Inn, condition: string) =>
    house.send(at(inn), 'POST', '/housekeeping/room-conditions', { roomIds: [inn.rooms[0]], condition });
  const [strict, easy] = [
    await house.inn(2, { inspectedBeforeCheckIn: true }),
    await house.inn(1, { inspectedBeforeCheckIn: false }),
  ];
  expect([await answer(strict), await answer(easy)]).toEqual([['not_clean', 'not_clean'], ['not_clean']]);
  await set(strict, 'clean');
  await set(easy, 'clean');
  expect([await answer(strict), await answer(easy)]).toEqual([['not_inspected', 'not_clean'], [null]]);
  await set(strict, 'inspected');
  expect(await answer(strict)).toEqual([null, 'not_clean']);
  const [roomId = null, other] = strict.rooms;
  const guest = strict.book({ arrival: FIRST_DAY, departure: '2027-05-12', roomId });
  await house.hear(strict.tenantId, guest.checkedIn());
  expect(await answer(strict, [roomId, newId('rom'), other] as Id<'rom'>[])).toEqual([
    'occupied',
    'unknown',
    'not_clean',
  ]);
  // A room of another house, and another tenant's, is unknown.
  expect(await answer({ ...easy, rooms: strict.rooms })).toEqual(['unknown', 'unknown']);
});

import type { Accepted } from '@ghasi/db/accepted';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import { coreErrors } from '@ghasi/domain-primitives/errors';
import { type Id, parseId } from '@ghasi/domain-primitives/ids';
import { type AnyRoute, defineRoute, operator } from '@ghasi/http/route';
import { idText } from '@melmastoon/catalog/parts';
import { z } from 'zod';
import {
  assignTask,
  cancelTask,
  completeTask,
  inspectTask,
  requestTask,
  startTask,
  tickTask,
} from '../commands/work.ts';
import {
  assignment,
  cancellation,
  completion,
  inspection,
  newTask,
  type TaskView,
  taskQuery,
  taskView,
  ticks,
} from '../contract/resources.ts';
import { errors } from '../errors.ts';
import { findTask, listTasks, type Task } from '../queries/tasks.ts';

const readers = ['owner', 'manager', 'front_desk', 'housekeeping', 'maintenance', 'auditor'];
const keepers = ['owner', 'manager', 'housekeeping'];
const params = z.strictObject({ taskId: idText('hkt') });

/** A task as staff sees it. */
export function viewTask({ version: _, ...task }: Task): TaskView {
  const { dueAt, startedAt, completedAt, createdAt, checklist } = task;
  return {
    ...task,
    checklist: [...checklist],
    dueAt: dueAt?.toISOString() ?? null,
    startedAt: startedAt?.toISOString() ?? null,
    completedAt: completedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}

const list = defineRoute({
  method: 'GET',
  path: '/api/v1/housekeeping/tasks',
  summary: 'Work in the rooms of a house, the most urgent first',
  auth: operator(readers),
  query: taskQuery,
  returns: { 200: z.strictObject({ tasks: z.array(taskView) }) },
  handler: async (ctx, { query }) => ({
    status: 200,
    body: { tasks: (await listTasks(ctx, query)).map(viewTask) },
  }),
});

const show = defineRoute({
  method: 'GET',
  path: '/api/v1/housekeeping/tasks/:taskId',
  summary: 'A task with its checklist',
  auth: operator(readers),
  params,
  returns: { 200: taskView },
  errors: [coreErrors.NOT_FOUND],
  async handler(ctx, { params: { taskId } }) {
    const task = await findTask(ctx, taskId);
    if (task === undefined) throw coreErrors.NOT_FOUND({ entity: 'Task' });
    return { status: 200, body: viewTask(task) };
  },
});

const request = defineRoute({
  method: 'POST',
  path: '/api/v1/housekeeping/tasks',
  summary: 'Put work on the list by hand',
  auth: operator([...keepers, 'front_desk']),
  body: newTask,
  returns: { 201: taskView },
  errors: [coreErrors.NOT_FOUND, errors.TASK_EXISTS, errors.ROOM_CLOSED, errors.HOUSE_UNKNOWN],
  async handler(ctx, { body }) {
    const { value, events } = await requestTask(ctx, body);
    return { status: 201, body: viewTask(value), events };
  },
});

const tick = defineRoute({
  method: 'PUT',
  path: '/api/v1/housekeeping/tasks/:taskId/checklist',
  summary: 'Say which points of the checklist are done',
  auth: operator(keepers),
  params,
  body: ticks,
  returns: { 200: taskView },
  errors: [coreErrors.NOT_FOUND, errors.TASK_ENDED, errors.CHECKLIST_OTHER],
  handler: async (ctx, { params: { taskId: id }, body }) => ({
    status: 200,
    body: viewTask(await tickTask(ctx, { id, ...body })),
  }),
});

type Step<B> = (ctx: Ctx, input: B & { id: Id<'hkt'>; by: Id<'usr'> }) => Promise<Accepted<Task>>;
type StepRoute<B extends z.ZodType> = {
  path: string;
  summary: string;
  body: B;
  errors: readonly { readonly entry: (typeof errors.TASK_ENDED)['entry'] }[];
  step: Step<z.output<B>>;
};

/** One step of a task; who does it is whoever is signed in. */
function stepRoute<B extends z.ZodType<object>>(route: StepRoute<B>): AnyRoute {
  return defineRoute({
    method: 'POST',
    path: `/api/v1/housekeeping/tasks/:taskId/${route.path}`,
    summary: route.summary,
    auth: operator(keepers),
    params,
    body: route.body,
    returns: { 200: taskView },
    errors: [coreErrors.NOT_FOUND, errors.TASK_ENDED, ...route.errors],
    async handler(ctx, { params: { taskId: id }, body }) {
      const by = parseId('usr', ctx.principal.id);
      const { value, events } = await route.step(ctx, { ...(body as z.output<B>), id, by });
      return { status: 200, body: viewTask(value), events };
    },
  });
}

/** Work in the rooms of a house. */
export const taskRoutes: readonly AnyRoute[] = [
  list,
  request,
  show,
  tick,
  stepRoute({
    path: 'assign',
    summary: 'Give a task to somebody, or to somebody else',
    body: assignment,
    errors: [],
    step: assignTask,
  }),
  stepRoute({
    path: 'start',
    summary: 'Begin; a task that nobody had is yours from now on',
    body: z.strictObject({}),
    errors: [],
    step: startTask,
  }),
  stepRoute({
    path: 'complete',
    summary: 'Finish a task; what was done changes the room',
    body: completion,
    errors: [errors.CHECKLIST_INCOMPLETE, errors.ROOM_NOT_CLEAN],
    step: completeTask,
  }),
  stepRoute({
    path: 'inspect',
    summary: 'Pass finished cleaning, or have it done again',
    body: inspection,
    errors: [errors.NOT_INSPECTABLE, errors.ROOM_NOT_CLEAN],
    step: inspectTask,
  }),
  stepRoute({
    path: 'cancel',
    summary: 'Take a task off the list that nobody needs',
    body: cancellation,
    errors: [],
    step: cancelTask,
  }),
];

import type { Service } from '@ghasi/backbone/define-service';
import type { Ctx } from '@ghasi/db/tenant-transaction';
import type { TenantId } from '@ghasi/domain-primitives/ids';
import type { EventType, PendingEvent } from '@ghasi/event-envelope/define-event';
import type { EventEnvelope } from '@ghasi/event-envelope/envelope';
import { expect } from 'vitest';
import { expectEvents, type Happened } from './scenario-expectation.ts';
import type { System } from './system.ts';
import { newTenantId } from './tenants.ts';

/** Part of a value: leave out what does not matter. Lists are compared whole. */
export type Subset<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: Subset<T[K]> }
    : T;

/** An event that should happen; what `Event.from(…)` returned is one too. */
export type Expected<P = unknown> = { readonly event: EventType<P>; readonly payload: Subset<P> };

/** An event of which only a part of the payload matters. */
export function like<P>(event: EventType<P>, payload: Subset<P> = {} as Subset<P>): Expected<P> {
  return { event, payload };
}

/** Rules as pure functions: what happened gives the state, state and command give what happens or a refusal. */
export type Decider<State, Command, Refusal = never> = {
  readonly initial: State;
  evolve(state: State, event: PendingEvent): State;
  decide(state: State, command: Command): readonly PendingEvent[] | Refusal;
};

/** A scenario of pure rules: no database, no clock. */
export type RuleScenario<State, Command, Refusal> = {
  /** What happened before. */
  given(events: readonly PendingEvent[]): RuleScenario<State, Command, Refusal>;
  when(command: Command): {
    /** Exactly these events happen, in this order. */
    then(expected: readonly Expected[]): void;
    /** It is refused, for this reason. */
    thenRefused(reason: Subset<Refusal>): void;
  };
};

/** A scenario of a running system: each step ends when everything it caused is done. */
export type SystemScenario = {
  /** The tenant it happens to; a fresh one unless given. */
  readonly tenantId: TenantId;
  /** What was published before, by whomever. */
  given(events: readonly PendingEvent[]): SystemScenario;
  /** A use case of the service runs … */
  when<Input>(useCase: (ctx: Ctx, input: Input) => Promise<unknown>, input: NoInfer<Input>): SystemOutcome;
  /** … or an event arrives. */
  when(event: PendingEvent): SystemOutcome;
};

/** How a scenario of a system ends. */
export type SystemOutcome = {
  /** Exactly these events are published for the tenant, by whichever service; in order where they share a key. */
  then(expected: readonly Expected[]): Promise<readonly EventEnvelope[]>;
  /** The use case throws, and nothing is published. */
  thenRefused(reason: RegExp | string): Promise<void>;
};

/** Given, when, then: of rules, or of a service in a running system. */
export function scenario<State, Command, Refusal = never>(
  decider: Decider<State, Command, Refusal>,
): RuleScenario<State, Command, Refusal>;
export function scenario(service: Service, system: System, tenantId?: TenantId): SystemScenario;
export function scenario(
  subject: Decider<unknown, unknown, unknown> | Service,
  system?: System,
  tenantId: TenantId = newTenantId(),
): RuleScenario<unknown, unknown, unknown> | SystemScenario {
  if ('decide' in subject) return ofRules(subject, subject.initial);
  if (system === undefined) throw new TypeError(`scenario(${subject.name}) needs a system to run on`);
  return ofSystem({ service: subject, system, tenantId, given: [] });
}

function ofRules(
  decider: Decider<unknown, unknown, unknown>,
  state: unknown,
): RuleScenario<unknown, unknown, unknown> {
  return {
    given: events =>
      ofRules(
        decider,
        events.reduce((before, event) => decider.evolve(before, event), state),
      ),
    when: command => ({
      // biome-ignore lint/suspicious/noThenProperty: given, when, then; forgetting it is told apart by `assertExpected`
      then(expected) {
        assertExpected(expected);
        const outcome = decider.decide(state, command);
        if (!Array.isArray(outcome)) expect.fail(`it was refused: ${JSON.stringify(outcome)}`);
        expectEvents((outcome as PendingEvent[]).map(happenedHere), expected);
      },
      thenRefused(reason) {
        const outcome = decider.decide(state, command);
        if (Array.isArray(outcome))
          expect.fail(`it was accepted: ${JSON.stringify(outcome.map(happenedHere))}`);
        expect(outcome).toMatchObject(reason as object);
      },
    }),
  };
}

type Scene = {
  readonly service: Service;
  readonly system: System;
  readonly tenantId: TenantId;
  readonly given: readonly PendingEvent[];
};

type When =
  | { event: PendingEvent }
  | { useCase: (ctx: Ctx, input: unknown) => Promise<unknown>; input: unknown };

function ofSystem(scene: Scene): SystemScenario {
  return {
    tenantId: scene.tenantId,
    given: events => ofSystem({ ...scene, given: [...scene.given, ...events] }),
    when: (what: PendingEvent | ((ctx: Ctx, input: never) => Promise<unknown>), input?: unknown) => {
      const when = typeof what === 'function' ? { useCase: what as never, input } : { event: what };
      return {
        // biome-ignore lint/suspicious/noThenProperty: given, when, then; forgetting it is told apart by `assertExpected`
        async then(expected: readonly Expected[]) {
          assertExpected(expected);
          const caused = await play(scene, when);
          expectEvents(caused.map(happenedThere), expected);
          return caused;
        },
        async thenRefused(reason: RegExp | string) {
          const before = await prepare(scene);
          await expect(act(scene, when)).rejects.toThrow(reason);
          await scene.system.settled();
          expectEvents((await published(scene)).slice(before.length).map(happenedThere), []);
        },
      };
    },
  };
}

/** Plays the scene and returns what was published because of it. */
async function play(scene: Scene, when: When): Promise<EventEnvelope[]> {
  const before = await prepare(scene);
  const own = await act(scene, when);
  const after = (await published(scene)).slice(before.length);
  return after.filter(({ eventId }) => !own.includes(eventId));
}

async function prepare(scene: Scene): Promise<EventEnvelope[]> {
  await scene.system.publish(scene.tenantId, scene.given);
  await settled(scene);
  return published(scene);
}

/** Returns the events that were put there and not caused. */
async function act(scene: Scene, when: When): Promise<string[]> {
  const { system, service, tenantId } = scene;
  const own = 'event' in when ? await system.publish(tenantId, [when.event]) : [];
  if ('useCase' in when) await system.run(service, tenantId, when.useCase, when.input);
  await settled(scene);
  return own.map(({ eventId }) => eventId);
}

/** Waits, and fails when a reaction or a job did; a job that asked for a later run did not. */
async function settled({ system, tenantId }: Scene): Promise<void> {
  await system.settled();
  const failed = await system.query<{ what: string }>(
    'brokers',
    `select k.subscription || ' failed: ' || k.last_error as what
     from parked_key k
     where k.tenant_id = $1
     union all
     select (j.data ->> 'type') || ' failed: ' || coalesce(j.output ->> 'message', j.output::text, 'no reason')
     from jobs.job j
     where j.tenant_id = $1
       and j.state in ('retry', 'failed')
       and not coalesce(j.output ? 'retryAt', false)`,
    [tenantId],
  );
  if (failed.length > 0) throw new Error(failed.map(({ what }) => what).join('\n'));
}

async function published({ system, tenantId }: Scene): Promise<EventEnvelope[]> {
  return (await system.events()).filter(envelope => envelope.tenantId === tenantId);
}

function happenedHere({ event, payload, aggregateId }: PendingEvent): Happened {
  return { subject: event.subject, payload, key: aggregateId };
}

function happenedThere({ eventType, eventVersion, payload, metadata }: EventEnvelope): Happened {
  return { subject: `${eventType}.v${eventVersion}`, payload, key: metadata.orderingKey };
}

/** `await scenario(…).when(…)` without `.then([…])` would call `then` with functions. */
function assertExpected(expected: unknown): void {
  if (!Array.isArray(expected))
    throw new TypeError('a scenario ends with .then([events]) or .thenRefused(reason)');
}

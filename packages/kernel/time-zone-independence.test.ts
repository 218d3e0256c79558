import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';

const file = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);

// Printed by a fresh process per zone, because a zone is fixed when a process starts.
const script = `
  const { addDays, daysBetween, eachDay, parseLocalDate, weekday } = await import(${file('./local-date.ts')});
  const { stay, nights, nightDates } = await import(${file('./stay.ts')});
  const { parseZone, localDateIn, instantAt, offsetMinutes, formatInZone } = await import(${file('./zone.ts')});
  const { uuid7, uuid7Time } = await import(${file('./uuid.ts')});
  const dst = [parseLocalDate('2026-03-06'), parseLocalDate('2026-03-31')];
  const facts = [];
  for (const name of ['Asia/Kabul', 'UTC', 'America/Los_Angeles', 'Europe/Berlin']) {
    const zone = parseZone(name);
    for (const date of eachDay(...dst)) {
      for (const time of ['00:00', '02:30', '23:59']) {
        const instant = instantAt(zone, date, time);
        facts.push([instant.getTime(), localDateIn(zone, instant), offsetMinutes(zone, instant)]);
        facts.push(formatInZone(zone, instant, 'en'));
      }
      facts.push(addDays(date, 200), daysBetween(date, dst[1]), weekday(date));
    }
  }
  const night = stay('2026-03-08', '2026-03-09');
  facts.push(nights(night), nightDates(night), uuid7Time(uuid7(1_800_000_000_000)));
  process.stdout.write(JSON.stringify({ here: new Date(0).getTimezoneOffset(), facts }));
`;

function factsUnder(zone: string): { here: number; facts: unknown[] } {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, TZ: zone, NODE_OPTIONS: '' },
    encoding: 'utf8',
  });
  return JSON.parse(output) as { here: number; facts: unknown[] };
}

describe('the zone of the machine', () => {
  test('R3: changes nothing: UTC, Kabul and Los Angeles give the same dates, nights and instants', () => {
    const runs = ['UTC', 'Asia/Kabul', 'America/Los_Angeles'].map(factsUnder);
    // Proof that the three processes did live in three zones.
    expect(runs.map(run => run.here)).toEqual([0, -270, 480]);
    const [utc, kabul, losAngeles] = runs.map(run => run.facts);
    expect(utc?.length).toBeGreaterThan(900);
    expect(kabul).toEqual(utc);
    expect(losAngeles).toEqual(utc);
  });
});

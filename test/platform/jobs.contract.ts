import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JobRef, Jobs } from '../../src/platform/jobs.ts';
import type { Log } from '../../src/platform/log.ts';
import { eventually } from '../support/eventually.ts';
import { recordingLog } from '../support/log-lines.ts';

/** Returns a job payload: a reference to a record. */
export const refTo = (id: string): JobRef => ({ user: 501, id });

/** Contract of every `Jobs` implementation. `open` returns an empty one. */
export function describeJobs(open: (log: Log) => Promise<Jobs>): void {
  let jobs: Jobs;
  let lines: ReturnType<typeof recordingLog>['lines'];
  const gates: Gate[] = [];
  const closedGate = () => {
    const gate = createGate();
    gates.push(gate);
    return gate;
  };
  beforeEach(async () => {
    const recording = recordingLog();
    lines = recording.lines;
    jobs = await open(recording.log);
  });
  afterEach(() => {
    // Otherwise a test that fails while a handler waits would hang here.
    for (const gate of gates.splice(0)) gate.open();
    return jobs.stop();
  });

  /** Defines a job that records the IDs it runs with, and then runs `then`. */
  const recorder = (name: string, then: () => Promise<void> = async () => {}) => {
    const ran: string[] = [];
    jobs.define(name, async ({ id }) => {
      ran.push(id);
      await then();
    });
    return ran;
  };
  it('runs jobs added before and after the start', async () => {
    const [greeted, counted] = [recorder('greet'), recorder('count')];
    await jobs.add('greet', refTo('7Q2K_x-9'));
    await jobs.start();
    await jobs.add('count', refTo('1'));
    await eventually(() => expect([greeted, counted]).toEqual([['7Q2K_x-9'], ['1']]));
  });

  it('runs no job before the start', async () => {
    const ran = recorder('greet');
    await jobs.add('greet', refTo('x'));
    await jobs.stop();
    expect(ran).toEqual([]);
  });

  it('runs a delayed job no earlier than its delay', async () => {
    const ranAt: number[] = [];
    jobs.define('greet', async () => void ranAt.push(Date.now()));
    await jobs.start();
    const added = Date.now();
    await jobs.add('greet', refTo('later'), { delayMs: 200 });
    await eventually(() => expect(ranAt).toHaveLength(1));
    // Timers may fire a millisecond early.
    expect((ranAt[0] ?? 0) - added).toBeGreaterThanOrEqual(199);
  });

  it('queues a reference once per job name', async () => {
    const ran: JobRef[] = [];
    jobs.define('follow', async (ref) => void ran.push(ref));
    const others = recorder('other');
    await jobs.add('follow', refTo('1'));
    await jobs.add('follow', refTo('1'));
    await jobs.add('follow', refTo('2'));
    await jobs.add('follow', { user: 502, id: '1' });
    await jobs.add('other', refTo('1'));
    await jobs.start();
    await eventually(() => {
      expect(ran).toEqual([refTo('1'), refTo('2'), { user: 502, id: '1' }]);
      expect(others).toEqual(['1']);
    });
  });

  it('runs a job once more if it is added during its run', async () => {
    const gate = closedGate();
    const ran = recorder('follow', () => gate.passed);
    await jobs.start();
    await jobs.add('follow', refTo('1'));
    await eventually(() => expect(ran).toEqual(['1']));
    await jobs.add('follow', refTo('1'));
    await jobs.add('follow', refTo('1'));
    expect(ran).toEqual(['1']);
    gate.open();
    await eventually(() => expect(ran).toEqual(['1', '1']));
  });

  it('accepts a job again after it has finished', async () => {
    const ran = recorder('follow');
    await jobs.start();
    for (const times of [1, 2, 3]) {
      await eventually(async () => {
        await jobs.add('follow', refTo('1'));
        expect(ran.length).toBeGreaterThanOrEqual(times);
      });
    }
  });

  it('rejects a job with an undefined name', async () => {
    await expect(jobs.add('unheard of', refTo('x'))).rejects.toThrow('no job is called unheard of');
  });

  it('respects the concurrency limit of a job name and keeps the order', async () => {
    const gates = Array.from({ length: 4 }, closedGate);
    const ran: string[] = [];
    const handler = async ({ id }: JobRef) => {
      ran.push(id);
      await gates[Number(id)]?.passed;
    };
    jobs.define('greet', handler, { concurrency: 2 });
    await jobs.start();
    for (const id of ['0', '1', '2', '3']) await jobs.add('greet', refTo(id));
    const others = ['0', '1'];
    await eventually(() => expect(ran).toEqual(others));
    gates[1]?.open();
    await eventually(() => expect(ran).toEqual([...others, '2']));
    gates[0]?.open();
    await eventually(() => expect(ran).toEqual([...others, '2', '3']));
  });

  it('runs other job names while one name is at its limit', async () => {
    const gate = closedGate();
    let hanging = 0;
    const hang = async () => {
      hanging += 1;
      await gate.passed;
    };
    jobs.define('send', hang, { concurrency: 2 });
    const watched = recorder('watch');
    await jobs.start();
    for (let job = 0; job < 10; job++) await jobs.add('send', refTo(String(job)));
    await eventually(() => expect(hanging).toBe(2));
    await jobs.add('watch', refTo('x'));
    await eventually(() => expect(watched).toEqual(['x']));
    expect(hanging).toBe(2);
    gate.open();
    await eventually(() => expect(hanging).toBe(10));
  });

  it('does not retry a job limited to one try, and accepts its ID again', async () => {
    const ran: string[] = [];
    const handler = async ({ id }: JobRef) => {
      ran.push(id);
      if (ran.length === 1) throw new Error('the weather');
    };
    jobs.define('watch', handler, { tries: 1 });
    await jobs.start();
    await jobs.add('watch', refTo('1'));
    await eventually(() => expect(lines()).toHaveLength(1));
    expect(ran).toEqual(['1']);
    await eventually(async () => {
      await jobs.add('watch', refTo('1'));
      expect(ran.length).toBeGreaterThan(1);
    });
    expect(lines()).toEqual([expect.objectContaining({ level: 'warn', job: 'watch' })]);
  });

  it('retries a failed job and logs the failure', async () => {
    let failures = 1;
    const ran = recorder('greet', async () => {
      if (failures-- > 0) throw new Error('the weather');
    });
    await jobs.start();
    await jobs.add('greet', refTo('x'));
    await eventually(() => expect(lines()).toHaveLength(1));
    // The job waits for its retry. If it were added during its run, it would run once more.
    await jobs.add('greet', refTo('x'));
    await eventually(() => expect(ran).toEqual(['x', 'x']));
    expect(lines()).toEqual([expect.objectContaining({ level: 'warn', job: 'greet', attempt: 1 })]);
  });

  it('reports the age of the oldest due job, ignoring delayed ones', async () => {
    const ran = recorder('greet');
    jobs.define('other', async () => {});
    await jobs.add('other', refTo('later'), { delayMs: 3_600_000 });
    expect(await jobs.overdueMs()).toBeUndefined();
    await jobs.add('greet', refTo('now'));
    await eventually(async () => expect(await jobs.overdueMs()).toBeGreaterThan(50));
    expect(await jobs.overdueMs()).toBeLessThan(600_000);
    await jobs.start();
    await eventually(() => expect(ran).toEqual(['now']));
    await eventually(async () => expect(await jobs.overdueMs()).toBeUndefined());
  });

  it('waits for running jobs when it stops', async () => {
    const gate = closedGate();
    const ran = recorder('greet', () => gate.passed);
    await jobs.start();
    await jobs.add('greet', refTo('running'));
    await eventually(() => expect(ran).toEqual(['running']));
    let stopped = false;
    const stopping = jobs.stop().then(() => {
      stopped = true;
    });
    await new Promise(setImmediate);
    expect(stopped).toBe(false);
    gate.open();
    await stopping;
    expect(ran).toEqual(['running']);
  });
}

type Gate = ReturnType<typeof createGate>;

/** Creates a promise that the test resolves. */
function createGate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

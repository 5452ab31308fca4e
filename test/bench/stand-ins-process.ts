import { forkScript } from '../support/processes.ts';
import type { ActName, Acts } from './acts.ts';

export interface StandIns {
  readonly pid: number;
  ask<Name extends ActName>(
    act: Name,
    about: Parameters<Acts[Name]>[0],
  ): Promise<Awaited<ReturnType<Acts[Name]>>>;
  stop(): void;
}

/** Starts Telegram, the service and the users in a separate process. */
export async function startStandIns(): Promise<StandIns> {
  const { child } = await forkScript(new URL('stand-ins.ts', import.meta.url));
  const asked = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  let last = 0;
  child.once('exit', (code) => {
    for (const { reject } of asked.values()) reject(new Error(`the stand-ins ended with ${code}`));
  });
  child.on('message', ({ id, result, error }: { id: number; result: never; error?: string }) => {
    const one = asked.get(id);
    asked.delete(id);
    if (error === undefined) one?.resolve(result);
    else one?.reject(new Error(error));
  });
  return {
    pid: child.pid ?? 0,
    ask: (act, about) =>
      new Promise((resolve, reject) => {
        last += 1;
        asked.set(last, { resolve, reject });
        child.send({ id: last, act, about });
      }),
    stop: () => void child.kill('SIGKILL'),
  };
}

import { forkScript } from '../support/processes.ts';

/** Starts the sandbox for `people` users in a separate process, which ends with this one. */
export async function startSandbox(people: number) {
  const file = new URL('sandbox.ts', import.meta.url);
  const { child, message: port } = await forkScript<number>(file, [String(people)]);
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    /** Sends a request to its control API. */
    async control<T = unknown>(method: string, path: string, body?: object): Promise<T> {
      const response = await fetch(`${origin}${path}`, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as T;
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

export type SandboxProcess = Awaited<ReturnType<typeof startSandbox>>;

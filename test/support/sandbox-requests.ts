import type { Sandbox } from '../../src/sandbox/server.ts';

/** Requests to the control API of a sandbox in this process, without a connection. Paths are relative to `/sandbox`. */
export interface SandboxRequests {
  /** Returns the JSON of the response, or `undefined` if there is none. */
  ask<T = unknown>(method: string, path: string, body?: object): Promise<T>;
  /** Returns the body of the response as a stream. */
  open(path: string): Promise<ReadableStream<Uint8Array>>;
}

export function createSandboxRequests(sandbox: Pick<Sandbox, 'fetch'>): SandboxRequests {
  const send = async (method: string, path: string, body?: object): Promise<Response> => {
    const response = await sandbox.fetch(
      new Request(`http://localhost/sandbox${path}`, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
    );
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  return {
    ask: async (...asked) => (await (await send(...asked)).json().catch(() => undefined)) as never,
    async open(path) {
      const { body } = await send('GET', path);
      if (!body) throw new Error(`${path} has no response body`);
      return body;
    },
  };
}

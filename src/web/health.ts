import { Hono } from 'hono';
import type { Log } from '../platform/log.ts';

/** Checks whether the app is ready. A text is the reason why it isn't. */
export type Readiness = () => Promise<boolean | string>;

/** Serves `/livez` (the process responds) and `/readyz` (the app is ready). The reason for not being ready is only logged. */
export function health(ready: Readiness, log: Log): Hono {
  const endpoint = new Hono();
  let obstacle: string | undefined;

  async function findObstacle(): Promise<string | undefined> {
    try {
      const answer = await ready();
      if (answer === true) return undefined;
      return answer || 'not ready';
    } catch (error) {
      return error instanceof Error ? error.message : 'not ready';
    }
  }

  endpoint.get('/livez', (c) => c.text('ok'));
  endpoint.get('/readyz', async (c) => {
    const before = obstacle;
    obstacle = await findObstacle();
    if (obstacle && obstacle !== before) log.warn({ reason: obstacle }, 'not ready');
    return obstacle ? c.body(null, 503) : c.text('ok');
  });
  return endpoint;
}

import { setTimeout as delay } from 'node:timers/promises';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { requestApp } from '../support/app-request.ts';
import { createRandom } from '../support/random.ts';
import { createAnswers } from './answers.ts';
import { createForger, type Known } from './forgeries.ts';

/** Request of the parent process: pass `count` forgeries directly to the app. */
export interface Asked {
  count: number;
  seed: number;
  known: Known;
}

const CONCURRENCY = 32;
/** Forgeries per simulated second. A webhook accepts 50 a second, so a faster clock lets most pass its rate limit. */
const A_SECOND = 400;
const SECRET_LOOK = 256;

let skew = 0;
const config = readConfig();
const app = createApp(config, { now: () => Date.now() + skew });
app.createServer().listen(config.port, config.host);
await app.start();

process.on('message', (asked: Asked) => void run(asked));

async function run({ count, seed, known }: Asked): Promise<void> {
  const forger = createForger(known, createRandom(seed));
  const answers = createAnswers();
  let left = count;

  async function work(): Promise<void> {
    while (left > 0) {
      left -= 1;
      if (left % A_SECOND === 0) skew += 1_000;
      // Lets timers run.
      if (left % SECRET_LOOK === 0) await delay(0);
      const forgery = forger.next();
      const { method, path, headers, body } = forgery;
      const request = new Request(`http://bot${path}`, {
        method,
        headers: [...headers, ['content-length', String(body.length)]],
        body,
      });
      const response = await requestApp(app, request);
      answers.note(forgery, {
        status: response.status,
        headers: [...response.headers].map(([name, value]) => `${name}: ${value}`),
        body: await response.text(),
      });
    }
  }

  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  process.send?.(answers.all());
}

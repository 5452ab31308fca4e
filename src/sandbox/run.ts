import { parseArgs } from 'node:util';
import { readPort } from '../config.ts';
import { ignoreFailedOutput, onStop } from '../shutdown.ts';
import { readSeedFile } from './rental/seed-file.ts';
import { createSandbox, listen } from './server.ts';

const TOKEN = '700:the-token-of-the-sandbox-alone';
/** Delay before pending records are completed. Leaves time to complete them by hand. */
const AFTER_MS = 20_000;

const USAGE = 'npm run sandbox -- [--seed file] [--state file] [--shared-limit]';

/** Runs the sandbox without the bot, for developing other clients or bots. Returns a list of its URLs. */
async function run(args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string' },
      state: { type: 'string' },
      'shared-limit': { type: 'boolean' },
    },
  });
  const sandbox = createSandbox({
    token: TOKEN,
    seed: values.seed === undefined ? undefined : readSeedFile(values.seed),
    stateFile: values.state,
    sharedLimit: values['shared-limit'],
    fillAfterMs: AFTER_MS,
    confirmAfterMs: AFTER_MS,
    completeAfterMs: AFTER_MS,
    delegateAfterMs: AFTER_MS,
  });
  const { port, server } = await listen(sandbox.fetch, readPort());
  onStop(() => {
    sandbox.stop();
    server.close();
    server.closeAllConnections();
  });

  const origin = `http://localhost:${port}`;
  return [
    `The sandbox is at ${origin}`,
    `  rental service   ${origin}/api/v1, with the key demo-key unless the seed says otherwise`,
    `  documentation    ${origin}/api/docs and ${origin}/api/openapi.json`,
    `  Telegram         ${origin}/telegram, with the bot token ${TOKEN}`,
    `  chat page        ${origin}`,
    `  control API      ${origin}/sandbox, see docs/sandbox.md`,
    ...(values.state === undefined ? [] : [`  state            ${values.state}`]),
  ].join('\n');
}

ignoreFailedOutput();
run(process.argv.slice(2)).then(
  (urls) => process.stdout.write(`${urls}\n`),
  (error: Error) => {
    process.stderr.write(`The sandbox could not be started: ${error.message}\nUsage: ${USAGE}\n`);
    process.exit(1);
  },
);

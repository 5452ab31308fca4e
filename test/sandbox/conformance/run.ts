import { parseArgs } from 'node:util';
import { runVitest } from '../../support/run-vitest.ts';
import { AccountProfile } from './resources.ts';

const USAGE = `Tries a rental service against its specification.

  npm run conformance                                       the sandbox, which is started for it
  npm run conformance -- --base-url <url> --key <api key>   a service: reads only
  npm run conformance -- --base-url <url> --key <api key> --spend
                        as well buys, withdraws 1 TRX, makes invoices and subscriptions,
                        all of it for the account's own chain address

<url> is the specification's {base_url}: requests go to <url>/v1/…
The key can be given as CONFORMANCE_KEY instead, which other people on the machine can't see.
`;

/** Returns the account's own chain address, which receives everything that is bought. */
async function ownAddress(baseUrl: string, key: string): Promise<string> {
  const url = `${baseUrl.replace(/\/+$/, '')}/v1/account/profile`;
  const answer = await fetch(url, { headers: { 'X-API-Key': key } });
  if (!answer.ok) throw new Error(`GET ${url}: ${answer.status} ${await answer.text()}`);
  return AccountProfile.parse(await answer.json()).chain_address;
}

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      'base-url': { type: 'string' },
      key: { type: 'string' },
      spend: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { 'base-url': baseUrl = '', key = process.env.CONFORMANCE_KEY ?? '', spend, help } = values;
  if (help || (baseUrl === '') !== (key === '') || (spend && baseUrl === '')) {
    process.stdout.write(USAGE);
    return help ? 0 : 2;
  }
  const env = {
    CONFORMANCE_BASE_URL: baseUrl,
    CONFORMANCE_KEY: key,
    CONFORMANCE_SPEND: spend ? '1' : '',
    CONFORMANCE_ADDRESS: spend ? await ownAddress(baseUrl, key) : '',
  };
  return runVitest('test/sandbox/conformance/**/*.test.ts', {
    // Sequential for a live service, because all files share its rate limits.
    fileParallelism: baseUrl === '',
    reporters: baseUrl === '' ? ['default'] : ['verbose'],
    env,
  });
}

run().then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  },
);

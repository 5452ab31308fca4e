import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

const USAGE = `Executes random operations in the simulated rental service and audits its money.

  npm run conservation                                    108000 operations
  npm run conservation -- --operations <count> --seed <number>
                        another number, or those of the seed that a failure printed
`;

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      operations: { type: 'string', default: '108000' },
      seed: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { operations, seed, help } = values;
  const wrong =
    [operations, seed ?? '0'].some((number) => !/^\d{1,10}$/.test(number)) || Number(operations) === 0;
  if (help || wrong) {
    process.stdout.write(USAGE);
    return help ? 0 : 2;
  }
  const vitest = await startVitest('test', [], {
    config: false,
    watch: false,
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    include: ['test/sandbox/conservation.test.ts'],
    reporters: ['verbose'],
    env: { CONSERVATION_OPERATIONS: operations, ...(seed === undefined ? {} : { CONSERVATION_SEED: seed }) },
  });
  await vitest.close();
  return Number(process.exitCode ?? 0);
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

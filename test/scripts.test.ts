import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { createClock } from '../src/sandbox/clock.ts';
import { createSandbox } from '../src/sandbox/server.ts';
import { startHttpServer } from './support/http-server.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

interface Program {
  /** A script of package.json with its options. */
  command: string;
  /** Last line of a complete run. */
  ends: RegExp;
  /** Whether exit code 1 is a verdict on speed, which says nothing on a busy machine. */
  isMeasuring?: true;
}

/** Programs that mostly wait. */
const WAITING: Program[] = [
  { command: 'chaos --minutes 1 --people 4', ends: /^kills \d+, .*silent taps 0$/m },
  { command: 'restore-drill --people 3', ends: /^purchases 10, under way at the backup 1, .* 0$/m },
  { command: 'event-kills --kills 1 --people 2', ends: /^kills 1 in .*unnotified 0,/m },
  { command: 'bench:scale --users 100 --service-delay 0 --idle 1 --polls 3', ends: /^Faults: 0\.$/m },
  { command: 'broadcast-kills --people 30 --kills 1', ends: /^counted at Telegram: .*missed 0,/m },
];

const COMPUTING: Program[] = [
  { command: 'forge --count 50 --half-sent 5', ends: /^forged 100 in /m },
  { command: 'conservation --operations 30', ends: / Tests .*passed/ },
  { command: 'bench --quick --only stream', ends: /^Duration in seconds: stream/m },
  { command: 'bench:soak --minutes 0.03 --accounts 20 --rest 0', ends: /^memory in MB:/m, isMeasuring: true },
  { command: 'bench:flood --people 3 --updates 50 --floods 2', ends: /^The aim, /m, isMeasuring: true },
  { command: 'mutate src/views/tables.ts:49-53', ends: /^ tables\.ts +\|/m },
  { command: 'bench:texts', ends: /^\| addresses of TON \|/m },
  { command: 'journeys --only en', ends: /\| look around \|/ },
];

/** Files that start the other scripts. */
const ELSEWHERE: Record<string, string> = {
  start: 'test/main.test.ts',
  doctor: 'test/doctor.redis.test.ts',
  demo: 'test/sandbox/run.test.ts',
  sandbox: 'test/sandbox/run.test.ts',
  simulate: 'test/simulation/sample.test.ts',
  'rotate-keys': 'test/rotate-keys.redis.test.ts',
  build: 'package.json',
  prepack: 'test/package.redis.test.ts',
  check: 'package.json',
  trace: 'test/trace.test.ts',
  fix: '.ci/run',
  texts: '.ci/run',
  'stored-data': '.ci/run',
  'health-checks': '.ci/run',
  test: '.ci/run',
  'test:fast': '.ci/run',
};

const names = [...WAITING, ...COMPUTING].map(({ command }) => command.split(' ')[0] ?? '');

test('every script of package.json is started once', () => {
  expect([...names, 'conformance', ...Object.keys(ELSEWHERE)].toSorted()).toEqual(
    Object.keys(scripts).toSorted(),
  );
});

test.each(Object.entries(ELSEWHERE))('%s is started by %s', (name, file) => {
  const script = scripts[name] ?? '';
  const [entry = name] = /\S+\.ts$/.exec(script) ?? [];
  const [, program = name] = /start\.js (\S+)$/.exec(script) ?? [];
  const starts = [
    entry,
    `'${name}'`,
    `'scripts/start.js', '${program}'`,
    // npm starts it before the command.
    `'${name.replace(/^pre/, '')}'`,
    `run ${name} `,
    `run ${name}\n`,
    `run --silent ${name} `,
    `npm ${name} `,
  ];
  expect(starts.filter((text) => read(file).includes(text))).not.toEqual([]);
});

/** Runs a program in a process group of its own, which is killed if the test is cut off. */
async function run({ command, ends, isMeasuring }: Program, { onTestFinished }: TestContext): Promise<void> {
  const [name = '', ...options] = command.split(' ');
  const line = `${scripts[name]} ${options.join(' ')}`;
  const { PATH, HOME } = process.env;
  const child = spawn('sh', ['-c', line], { cwd: ROOT, env: { PATH, HOME }, detached: true });
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text));
  onTestFinished(() => void (child.exitCode === null && process.kill(-(child.pid ?? 0), 'SIGKILL')));
  const [code] = await closed;
  expect(output).toMatch(ends);
  expect(isMeasuring && code === 1 ? 0 : code, output).toBe(0);
}

const OPTIONS = { timeout: 600_000 };
const byCommand = (programs: Program[]) => programs.map((program) => [program.command, program] as const);

describe('the script', () => {
  test.concurrent.for(byCommand(WAITING))('%s', OPTIONS, ([, program], context) => run(program, context));
  test.for(byCommand(COMPUTING))('%s', OPTIONS, ([, program], context) => run(program, context));

  // The suite itself runs all checks against the sandbox, so this tries it as a service that is running elsewhere.
  test('conformance checks a service by reads only', OPTIONS, async (context) => {
    const sandbox = createSandbox({ token: '700:conformance', clock: createClock() });
    const server = await startHttpServer(sandbox.fetch);
    const service = `--base-url ${server.origin}/api --key demo-key`;
    await run({ command: `conformance ${service}`, ends: / Tests .*passed.*skipped/ }, context);
    sandbox.stop();
    await server.close();
  });
});

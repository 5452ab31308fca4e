import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { readVersion } from '../src/platform/version.ts';
import { createClock } from '../src/sandbox/clock.ts';
import { createSandbox } from '../src/sandbox/server.ts';
import { eventually } from './support/eventually.ts';
import { startHttpServer } from './support/http-server.ts';
import { createPerson } from './support/person.ts';
import { endsWithThis } from './support/processes.ts';
import { freePort } from './support/redis-process.ts';
import { createSandboxRequests } from './support/sandbox-requests.ts';
import { dataOf } from './support/steps.ts';
import { temporaryFile } from './support/temporary-file.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const { PATH = '', HOME = '' } = process.env;

/** Starts a program without the environment of this one. It is killed at the end of the test. */
function start(
  command: string[],
  { cwd = ROOT, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
) {
  const [program = '', ...options] = command;
  const child = endsWithThis(spawn(program, options, { cwd, env: { PATH, HOME, ...env }, detached: true }));
  onTestFinished(() => endGroup(child));
  const said = { out: '', err: '' };
  child.stdout.on('data', (text: Buffer) => (said.out += text));
  child.stderr.on('data', (text: Buffer) => (said.err += text));
  return { said, ended: once(child, 'close').then(([code]) => ({ code, ...said })) };
}

function endGroup({ pid = 0 }: ChildProcess): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

const TOKEN = '700:the-token-of-the-archive-and-of-nothing-else';
const temporaryFolder = () => dirname(temporaryFile('-'));

test('the source map of the bundle leads to lines of the bot, and to nothing in packages', () => {
  const main = inject('bundles').main.replace(/\.js$/, '.bundle.js');
  const map = new SourceMap(JSON.parse(readFileSync(`${main}.map`, 'utf8')));
  const lineOf = (path: string, text: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes(text));
  const source = join(ROOT, 'src/pictures/render.ts');
  expect(map.findEntry(lineOf(main, 'function createPictureRenderer('), 2)).toMatchObject({
    originalSource: '../src/pictures/render.ts',
    originalLine: lineOf(source, 'function createPictureRenderer('),
  });
  const ofPackage = lineOf(main, '// node_modules/ioredis/') + 2;
  expect(map.findEntry(ofPackage, 2)).toMatchObject({ originalSource: undefined });
});

/** Returns the command of the image's health check. */
function healthCheck(): string[] {
  const [, command = ''] = /^HEALTHCHECK .*\\\n *CMD (.*)$/m.exec(read('Dockerfile')) ?? [];
  return JSON.parse(command) as string[];
}

test('the archive of `npm pack` runs with production packages and an environment file, and draws pictures', async () => {
  const folder = temporaryFolder();
  const packed = await start(['npm', 'pack', '--silent', '--pack-destination', folder]).ended;
  expect(packed.code, packed.err).toBe(0);
  await start(['tar', '-xzf', packed.out.trim()], { cwd: folder }).ended;
  const cwd = join(folder, 'package');
  // All packages that the bundle doesn't contain.
  mkdirSync(join(cwd, 'node_modules'));
  for (const name of ['@resvg', '@expo-google-fonts'])
    symlinkSync(join(ROOT, 'node_modules', name), join(cwd, 'node_modules', name));

  const sandbox = createSandbox({ token: TOKEN, clock: createClock() });
  const server = await startHttpServer(sandbox.fetch);
  onTestFinished(async () => {
    sandbox.stop();
    await server.close();
  });
  const variables = {
    BOT_TOKEN: TOKEN,
    TELEGRAM_API_ROOT: `${server.origin}/telegram`,
    RENTAL_API_URL: `${server.origin}/api`,
    RENTAL_API_KEY: 'operator-key',
    HOST: '127.0.0.1',
    PORT: '0',
  };
  const lines = Object.entries(variables).map(([name, value]) => `${name} = "${value}" # a comment\n`);
  writeFileSync(join(cwd, 'bot.env'), lines.join(''));
  const bot = start(['npm', 'start', '--silent', '--', '--env-file=bot.env'], { cwd });
  const requests = createSandboxRequests(sandbox);
  const person = createPerson({ requests, chat: 501 });
  const invoices = async () =>
    (await requests.ask<{ invoices: { invoice_id: string }[] }>('GET', '/rental/state')).invoices;
  const card = await person.ask('TLx8h8fjv5pyuxCu292ZgjbU14XZSiLGg4', 'Review and confirm');
  // A tap is ignored as long as the card is new.
  const tapped = async () => {
    await person.tapData(card.message_id, dataOf(card, 'Create invoice'));
    expect(await invoices()).toHaveLength(1);
  };
  await vi.waitFor(tapped, { timeout: 60_000, interval: 250 });
  const [invoice] = await invoices();
  await requests.ask('POST', `/rental/invoices/${invoice?.invoice_id}/pay`, {});
  await person.reads('The energy is on its way');
  expect(bot.said.out).not.toContain('could not be rendered');
  const [, port = ''] = /"port":(\d+)/.exec(bot.said.out) ?? [];
  expect((await start(healthCheck(), { env: { PORT: port } }).ended).code).toBe(0);
  expect(bot.said.err).toBe('');
  const { version, commit } = readVersion();
  const line = JSON.parse(bot.said.out.split('\n').find((text) => text.includes('"starting"')) ?? '');
  expect([line.version, line.commit]).toEqual([version, commit]);

  const demo = await start(['npm', 'run', '--silent', 'demo'], { cwd }).ended;
  expect(demo).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/^[^\n]*clone of the repository[^\n]*\n$/),
  });
});

test('the health check of the image fails unless `/livez` returns 200', async () => {
  let status = 503;
  const server = await startHttpServer(
    (request) => new Response('', { status: new URL(request.url).pathname === '/livez' ? status : 404 }),
  );
  const env = { PORT: new URL(server.origin).port };
  expect((await start(healthCheck(), { env }).ended).code).toBe(1);
  status = 200;
  expect((await start(healthCheck(), { env }).ended).code).toBe(0);
  await server.close();
  expect((await start(healthCheck(), { env }).ended).code).toBe(1);
});

/** Creates a clone of 1970 whose build writes a bundle that prints `built`. */
function cloneWith({ tools }: { tools: boolean }) {
  const cwd = temporaryFolder();
  const path = (name: string) => join(cwd, name);
  for (const folder of ['scripts', 'src', 'dist']) mkdirSync(path(folder));
  const build = `import { writeFileSync } from 'node:fs';\nwriteFileSync('dist/main.js', "console.log('built')");`;
  const files = {
    'scripts/start.js': read('scripts/start.js'),
    'scripts/node-version.js': read('scripts/node-version.js'),
    'scripts/build.ts': build,
    'src/main.ts': '',
    'src/removed.ts': '',
    'package.json': '{ "type": "module", "engines": { "node": ">=20.19.0" } }',
    'npm-shrinkwrap.json': '',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path(name), text);
  for (const name of [...Object.keys(files), 'scripts', 'src']) utimesSync(path(name), 1000, 1000);
  if (tools) symlinkSync(join(ROOT, 'node_modules'), path('node_modules'));
  return {
    path,
    /** Writes a bundle of this time, in seconds since 1970. */
    writeBundle(at: number) {
      writeFileSync(path('dist/main.js'), `console.log('former', process.argv.slice(2).join(' '))`);
      utimesSync(path('dist/main.js'), at, at);
    },
    start: async () => {
      const { out, err } = await start([process.execPath, 'scripts/start.js', 'main', '--json'], { cwd })
        .ended;
      return { out, err };
    },
  };
}

const [OLDER, NEWER] = [500, 2000];

test('a start in a clone builds if a source is newer than the bundle or was removed', async () => {
  const clone = cloneWith({ tools: true });
  expect(await clone.start()).toEqual({ out: 'built\n', err: '' });
  clone.writeBundle(NEWER);
  expect(await clone.start()).toEqual({ out: 'former --json\n', err: '' });
  rmSync(clone.path('src/removed.ts'));
  expect(await clone.start()).toEqual({ out: 'built\n', err: '' });
});

test('a start without the tools says in one line what to run, and uses an existing bundle', async () => {
  const clone = cloneWith({ tools: false });
  const advice = expect.stringMatching(/^[^\n]*npm ci && npm run build\n$/);
  expect(await clone.start()).toEqual({ out: '', err: advice });
  clone.writeBundle(OLDER);
  expect(await clone.start()).toEqual({ out: 'former --json\n', err: advice });
  clone.writeBundle(NEWER);
  expect(await clone.start()).toEqual({ out: 'former --json\n', err: '' });
});

test.each([
  ['npm start', 'scripts/start.js'],
  ['node dist/main.js', 'dist/main.js'],
])('%s on an older Node says in one line which version is needed', async (_, program) => {
  const clone = cloneWith({ tools: true });
  writeFileSync(clone.path('package.json'), '{ "type": "module", "engines": { "node": ">=99.1.0" } }');
  writeFileSync(clone.path('dist/main.js'), readFileSync(inject('bundles').main));
  // An older Node can't load it.
  writeFileSync(clone.path('dist/main.bundle.js'), "import { noSuchFunction } from 'node:zlib';");
  const { node } = process.versions;
  expect(await start([process.execPath, program], { cwd: clone.path('') }).ended).toEqual({
    code: 1,
    out: '',
    err: `The bot needs Node 99.1 or later. This is Node ${node}.\n`,
  });
});

test('images are pinned to a minor version, and Node to one that CI tests', () => {
  const images = [...`${read('Dockerfile')}${read('compose.yaml')}`.matchAll(/(?:FROM|image:) (\w+):(\S+)/g)];
  expect(images.map(([, name]) => name)).toEqual(['node', 'node', 'redis']);
  for (const [, , tag] of images) expect(tag).toMatch(/^\d+\.\d+-\w+$/);
  expect(read('.ci/run')).toContain(`tests ${images[0]?.[2]?.split('.')[0]} `);
});

test("compose's Redis requires the password of the secret, keeps claims, and counts as healthy only with it", async () => {
  const [secret, folder, port] = [temporaryFile('redis-url'), temporaryFolder(), await freePort()];
  writeFileSync(secret, 'redis://:a-password@redis:6379\n');
  /** Returns a shell script of compose for this machine. */
  const here = (script = '') =>
    script
      .replaceAll('$$', '$')
      .replaceAll('/run/secrets/redis-url', secret)
      .replace('redis-server ', `redis-server --port ${port} --bind 127.0.0.1 --dir ${folder} `)
      .replace('redis-cli ', `redis-cli -p ${port} `);
  const [, command] = /- \|\n((?: {8}.*\n)+)/.exec(read('compose.yaml')) ?? [];
  const [, check] = /CMD-SHELL\n +- (.*)\n/.exec(read('compose.yaml')) ?? [];
  const isHealthy = async () => (await start(['sh', '-c', here(check)]).ended).code === 0;

  expect(await isHealthy()).toBe(false);
  start(['sh', '-c', here(command?.replace(/^ {8}/gm, ''))]);
  await eventually(async () => expect(await isHealthy()).toBe(true));
  const redis = new Redis(port, { password: 'a-password' });
  onTestFinished(() => redis.disconnect());
  const setting = async (name: string) => ((await redis.config('GET', name)) as string[])[1];
  expect(await setting('appendonly')).toBe('yes');
  expect(await setting('appendfsync')).toBe('always');
  expect(await setting('maxmemory-policy')).toBe('noeviction');
  expect((await start(['redis-cli', '-p', String(port), 'get', 'key']).ended).out).toContain('NOAUTH');
  writeFileSync(secret, 'redis://:another@redis:6379\n');
  expect(await isHealthy()).toBe(false);
});

import { execFileSync } from 'node:child_process';
import { redisBinary } from './redis-process.ts';

const WHAT_TO_DO =
  'The tests need Redis: install redis-server or valkey-server, or set TEST_REDIS_URL to a server that they may flush.\n';

/** Installs Redis with apt-get if it is missing and the user is root. Returns whether the tests have a Redis. */
function ensureRedis(): boolean {
  if (process.env.TEST_REDIS_URL || redisBinary()) return true;
  if (process.getuid?.() !== 0) return false;
  const aptGet = (...words: string[]) =>
    execFileSync('apt-get', ['-qq', ...words], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: 'ignore',
    });
  try {
    aptGet('update');
    aptGet('install', '--yes', '--no-install-recommends', 'redis-server');
  } catch {
    return false;
  }
  return redisBinary() !== undefined;
}

if (!ensureRedis()) {
  process.stderr.write(WHAT_TO_DO);
  process.exitCode = 1;
}

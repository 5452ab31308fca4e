import { Redis } from 'ioredis';

/** Has every operation that this Redis lists come due `seconds` earlier. */
export async function hasten(url: string, seconds: number): Promise<void> {
  const redis = new Redis(url);
  const index = 'operations:dueIndex';
  for (const operation of await redis.zrange(index, '0', '-1')) {
    await redis.zincrby(index, -1_000 * seconds, operation);
  }
  await redis.quit();
}

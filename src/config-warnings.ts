import type { Config } from './config.ts';
import { isLoopback } from './config-fields.ts';

/**
 * Returns a warning for each setting that lets an attacker on the network read or change data that affects payments.
 */
export function configWarnings({ redisUrl, telegramApiRoot }: Config): string[] {
  const weak: string[] = [];
  const redis = redisUrl === undefined ? undefined : new URL(redisUrl);
  if (redis && !isLoopback(redis)) {
    if (redis.protocol !== 'rediss:')
      weak.push('REDIS_URL: not encrypted on its way, expected rediss:// unless the network is your own');
    if (redis.password === '') weak.push('REDIS_URL: without a password, expected redis://:password@host');
  }
  const telegram = new URL(telegramApiRoot);
  if (telegram.protocol === 'http:' && !isLoopback(telegram)) {
    weak.push(
      "TELEGRAM_API_ROOT: http://, over which the bot's token goes in the clear, expected https:// or a host of your own",
    );
  }
  return weak;
}

import type { Check } from './check.ts';
import { ADMINS, type AdminCheckDeps } from './checks/admins.ts';
import { type ClockCheckDeps, PROCESS_CLOCK, REDIS_CLOCK, SERVICE_CLOCK } from './checks/clocks.ts';
import * as data from './checks/data.ts';
import { type FirstStartCheckDeps, REDIS_DATA } from './checks/first-start.ts';
import { PAYMENTS, type PaymentsCheckDeps } from './checks/payments.ts';
import * as redis from './checks/redis.ts';
import { SERVICE, type ServiceCheckDeps } from './checks/rental.ts';
import { STORAGE, type StorageCheckDeps } from './checks/storage.ts';
import {
  BOT_TOKEN,
  PUBLIC_URL,
  TELEGRAM_API,
  TELEGRAM_POLLING,
  TELEGRAM_UPDATES,
  TELEGRAM_WEBHOOK,
  type TelegramCheckDeps,
} from './checks/telegram.ts';
import * as work from './checks/work.ts';

/** Dependencies of all checks. */
export type HealthDeps = StorageCheckDeps &
  redis.RedisCheckDeps &
  TelegramCheckDeps &
  AdminCheckDeps &
  ServiceCheckDeps &
  ClockCheckDeps &
  data.DataCheckDeps &
  PaymentsCheckDeps &
  FirstStartCheckDeps &
  work.WorkCheckDeps;

/** Check with any problems. */
// biome-ignore lint/suspicious/noExplicitAny: the problems of a check are the parameter of its `repair`.
export type AnyCheck = Check<HealthDeps, any>;

/** All health checks, in the order in which they are shown and in which the doctor measures them. */
export const CHECKS: readonly AnyCheck[] = [
  STORAGE,
  redis.REDIS_SETUP,
  redis.REDIS_VERSION,
  redis.REDIS_PERSISTENCE,
  redis.REDIS_FSYNC,
  redis.REDIS_EVICTION,
  redis.REDIS_MEMORY,
  redis.REDIS_REPLICATION,
  redis.REDIS_LATENCY,
  REDIS_DATA,
  TELEGRAM_API,
  TELEGRAM_UPDATES,
  TELEGRAM_WEBHOOK,
  TELEGRAM_POLLING,
  BOT_TOKEN,
  PUBLIC_URL,
  ADMINS,
  SERVICE,
  PROCESS_CLOCK,
  REDIS_CLOCK,
  SERVICE_CLOCK,
  data.SECRET_KEY,
  data.CANARY,
  data.RECORDS,
  PAYMENTS,
  work.OUTCOMES,
  work.OUTBOX,
  work.QUEUES,
  work.GIVEN_UP,
  work.EVENT_LOOP,
  work.EVENT_LOOP_DELAY,
  work.MEMORY,
];

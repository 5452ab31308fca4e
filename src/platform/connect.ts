import type { Dispatcher } from 'undici';

/** Returns the dispatcher of requests to an origin: a pool of connections, unless a test replaces it. */
export type Connect = (origin: string) => Pick<Dispatcher, 'dispatch' | 'close'>;

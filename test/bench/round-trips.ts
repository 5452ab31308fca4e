import { createRespCounter } from './resp-counter.ts';

export interface Traffic {
  /** Number of times that a connection without pending responses started to send. */
  roundTrips: number;
  commands: number;
  bytesOut: number;
  bytesIn: number;
}

export const NO_TRAFFIC: Traffic = { roundTrips: 0, commands: 0, bytesOut: 0, bytesIn: 0 };

/** Counts the traffic of one connection to Redis, from the client's side. */
export interface ConnectionMeter {
  toServer(chunk: Uint8Array): void;
  toClient(chunk: Uint8Array): void;
}

/** Adds the traffic of a connection to `traffic`. */
export function createConnectionMeter(traffic: Traffic): ConnectionMeter {
  const asked = createRespCounter();
  const answered = createRespCounter();
  let unanswered = 0;
  return {
    toServer(chunk) {
      if (unanswered === 0 && asked.isWhole()) traffic.roundTrips += 1;
      const commands = asked.feed(chunk);
      unanswered += commands;
      traffic.commands += commands;
      traffic.bytesOut += chunk.length;
    },
    toClient(chunk) {
      unanswered = Math.max(0, unanswered - answered.feed(chunk));
      traffic.bytesIn += chunk.length;
    },
  };
}

export function difference(later: Traffic, earlier: Traffic): Traffic {
  return {
    roundTrips: later.roundTrips - earlier.roundTrips,
    commands: later.commands - earlier.commands,
    bytesOut: later.bytesOut - earlier.bytesOut,
    bytesIn: later.bytesIn - earlier.bytesIn,
  };
}

export function scaled(traffic: Traffic, by: number): Traffic {
  return {
    roundTrips: traffic.roundTrips * by,
    commands: traffic.commands * by,
    bytesOut: traffic.bytesOut * by,
    bytesIn: traffic.bytesIn * by,
  };
}

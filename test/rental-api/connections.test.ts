import net, { type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createConnector } from '../../src/rental-api/connections.ts';

const TIMES = { connectMs: 3_000, unusedMs: 3_000 };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Opens a connector to a server. `connect` returns the number of the connection, from 1, and the client's socket. */
async function openConnector() {
  const accepted: Socket[] = [];
  const server = net.createServer((socket) => void accepted.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  const connector = createConnector(`http://127.0.0.1:${port}`, TIMES);
  const options = { protocol: 'http:', hostname: '127.0.0.1', host: `127.0.0.1:${port}`, port: String(port) };
  const sockets: Socket[] = [];
  onTestFinished(() => {
    connector.close();
    for (const socket of [...sockets, ...accepted]) socket.destroy();
    server.close();
  });

  async function openAhead(): Promise<void> {
    const isAccepted = new Promise((resolve) => server.once('connection', resolve));
    connector.openAhead();
    await isAccepted;
  }

  async function connect() {
    const socket = await new Promise<Socket>((resolve, reject) =>
      connector.connect(options, (error, opened) => (opened ? resolve(opened) : reject(error))),
    );
    sockets.push(socket);
    const number = 1 + accepted.findIndex(({ remotePort }) => remotePort === socket.localPort);
    return { socket, number };
  }

  return { openAhead, connect };
}

describe('connector', () => {
  it('keeps a connection open once a request uses it, and gives it to no other', async () => {
    const { openAhead, connect } = await openConnector();
    await openAhead();
    const [first, second] = [await connect(), await connect()];
    await vi.advanceTimersByTimeAsync(60_000);
    expect([first.number, second.number]).toEqual([1, 2]);
    expect([first.socket.destroyed, second.socket.destroyed]).toEqual([false, false]);
  });

  it('uses the next opened connection after one was closed unused', async () => {
    const { openAhead, connect } = await openConnector();
    await openAhead();
    await vi.advanceTimersByTimeAsync(3_000);
    await openAhead();
    await vi.advanceTimersByTimeAsync(2_999);
    expect((await connect()).number).toBe(2);
  });

  it('opens a connection ahead to an IPv6 address', () => {
    const connecting = vi.spyOn(net, 'connect').mockReturnValue(new net.Socket());
    const connector = createConnector('http://[::1]:8080', TIMES);
    connector.openAhead();
    expect(connecting.mock.calls).toEqual([[expect.objectContaining({ host: '::1', port: '8080' })]]);
    connector.close();
  });
});

const RETRY_MS = 1500;

/**
 * Listens to server-sent events and reconnects after a lost connection. Disconnects while the page is hidden, because a browser
 * allows six connections per origin.
 * @param {string} url
 * @param {{ events: Record<string, (data: any) => void>, opened: () => void, lost: () => void }} listener
 *   `opened` is called at each connection, to load the changes in between.
 * @returns {() => void} stops listening
 */
export function listen(url, { events, opened, lost }) {
  let source;
  let retry;

  const shut = () => {
    clearTimeout(retry);
    source?.close();
    source = undefined;
  };
  const failed = () => {
    lost();
    if (source?.readyState !== EventSource.CLOSED) return;
    shut();
    retry = setTimeout(open, RETRY_MS);
  };
  const open = () => {
    shut();
    source = new EventSource(url);
    source.addEventListener('open', opened);
    source.addEventListener('error', failed);
    for (const [name, happened] of Object.entries(events)) {
      source.addEventListener(name, (event) => happened(JSON.parse(event.data)));
    }
  };
  const follow = () => (document.hidden ? shut() : open());

  const ended = new AbortController();
  document.addEventListener('visibilitychange', follow, { signal: ended.signal });
  window.addEventListener('online', follow, { signal: ended.signal });
  window.addEventListener('offline', lost, { signal: ended.signal });
  follow();

  return () => {
    ended.abort();
    shut();
  };
}

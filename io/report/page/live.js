// A page served by `keydrape solve --live` asks for newer versions and fetches itself again; what it showed
// is kept over that, as it is when the reader reloads a file.

const INTERVAL = 1000; // [ms]
const PATIENCE = 10_000; // [ms], for how long a program may fail to answer that is busy or stopped
const KEY = 'keydrape-view';

export function savedView() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
  } catch {
    return {}; // storage is switched off, or holds something else
  }
}

export function saveViewOnLeaving(view) {
  window.addEventListener('pagehide', () => {
    try {
      sessionStorage.setItem(
        KEY,
        JSON.stringify({
          ...view(),
          page: location.pathname,
          hash: location.hash,
          scroll: window.scrollY,
        }),
      );
    } catch {
      // then the next page starts afresh
    }
  });
}

async function version() {
  const answer = await fetch('version', { cache: 'no-store' });
  if (!answer.ok) throw new Error(`no version: ${answer.status}`);
  return Number(await answer.text());
}

const CLOCK = {
  now: () => performance.now(),
  wait: (time) =>
    new Promise((resolve) => {
      setTimeout(resolve, time);
    }),
};

// `shown`: the version that this page is. `isBusy()`: whether it does what would be lost. Ends once the program has not
// answered for PATIENCE.
export async function followLive(status, shown, isBusy, { now, wait } = CLOCK) {
  let heard = now();
  for (;;) {
    try {
      const newest = await version();
      heard = now();
      status.textContent = 'live';
      if (newest !== shown && !isBusy()) location.reload();
    } catch {
      if (now() - heard >= PATIENCE) {
        status.textContent =
          'the program cannot be reached; of a run that has ended the report is report.html in its folder';
        return;
      }
      status.textContent = 'no answer; asking again';
    }
    await wait(INTERVAL);
  }
}

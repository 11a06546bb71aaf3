// A page served by `keydrape solve --live` asks for newer versions and fetches itself again; what it showed
// is kept over that, as it is when the reader reloads a file.

const INTERVAL = 1000; // [ms]
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
  return Number(await answer.text());
}

// `shown`: the version that this page is. `isBusy()`: whether it does what would be lost.
export async function followLive(status, shown, isBusy) {
  for (;;) {
    try {
      const newest = await version();
      status.textContent = 'live';
      if (newest !== shown && !isBusy()) location.reload();
    } catch {
      status.textContent = 'the run has ended; its report is report.html in its folder';
      return;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, INTERVAL);
    });
  }
}

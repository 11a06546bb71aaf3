// The socket to the stage: texts are commands and what it says, bytes are frames (io/play/protocol.h).

const MAGIC = 0x3146444b; // "KDF1", little endian
const HEAD = 32; // [bytes]

// A frame as it came; `positions` [m] are a view into it.
export function readFrame(bytes) {
  const head = new DataView(bytes);
  if (bytes.byteLength < HEAD || head.getUint32(0, true) !== MAGIC) return null;
  const vertices = head.getInt32(12, true);
  if (bytes.byteLength !== HEAD + 12 * vertices) return null;
  return {
    sequence: head.getInt32(4, true),
    frame: head.getInt32(8, true),
    seconds: head.getFloat32(16, true),
    residual: head.getFloat32(20, true),
    stamp: head.getFloat64(24, true),
    positions: new Float32Array(bytes, HEAD, 3 * vertices),
  };
}

// Why the socket may be closed: whether the stage still answers at the page's own address.
export async function reasonOfEnd() {
  try {
    const answer = await fetch(window.location.href, { cache: 'no-store' });
    await answer.body?.cancel();
    return 'Too many pages are open, or the connection was lost; reload this page.';
  } catch {
    return 'The stage is gone: keydrape play has ended.';
  }
}

export class Channel {
  #socket;

  // `on`: { frame(frame), status(json), note(json), solve(json), end() }.
  constructor(on) {
    const address = new URL('socket', window.location.href);
    address.protocol = 'ws:';
    this.#socket = new WebSocket(address);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') {
        const said = JSON.parse(data);
        on[said.type]?.(said);
        return;
      }
      const frame = readFrame(data);
      if (frame) on.frame(frame);
    });
    this.#socket.addEventListener('close', () => on.end());
  }

  // What the stage is to do: a word, and what belongs to it.
  send(word, more = {}) {
    if (this.#socket.readyState === WebSocket.OPEN)
      this.#socket.send(JSON.stringify({ do: word, ...more }));
  }
}

import { interruption, limitTime } from "../base/interruption";

/** Another worker takes over after five minutes: within this time it is done or given up, waiting included. */
const ownMilliseconds = 240_000;

/** Does what is due, one after another, until a deed returns false. */
export async function whileDue(most: number, deed: (own: AbortSignal) => Promise<boolean>): Promise<void> {
  for (let count = 0; count < most; count += 1) {
    const own = limitTime(ownMilliseconds, interruption());
    try {
      if (!(await deed(own.signal))) return;
    } finally {
      own.end();
    }
  }
}

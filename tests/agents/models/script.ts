/** What a model of the tests says when it is asked the next time. */
export type Step =
  | { say: string }
  | { run: string }
  | { write: { path: string; text: string } }
  | { fail: { status: number; type: string; message: string; headers?: Record<string, string> } }
  | { hang: true };

/** A step that is answered, with words or with a call of a tool. */
export type Act = Exclude<Step, { fail: unknown } | { hang: true }>;

/** Tokens as we count them: four disjoint numbers. */
export type Tokens = { input: number; output: number; cacheRead: number; cacheWrite: number };

/** What every answer of a scripted model costs. */
export const tokensOfAnswer: Tokens = { input: 100, output: 10, cacheRead: 40, cacheWrite: 0 };

export const noTokens: Tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

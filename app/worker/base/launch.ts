/** A program and everything needed to start it. */
export interface Launch {
  program: string;
  words: readonly string[];
  folder: string;
  environment: Record<string, string>;
  /** True if the program's end kills its children at once, so it must be asked to stop first. */
  endsAll?: boolean;
  /** Called once the program has ended for any reason; cleans up what it leaves behind. */
  cleared?: () => Promise<void>;
  /** Why the program was never started, if that is what its end means. */
  startProblem?: (code: number | null, complaints: string) => string | null;
}

/** Wraps a launch so that the program starts inside the sandbox. */
export type Confine = (launch: Launch) => Promise<Launch>;

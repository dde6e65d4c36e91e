/** A program with everything that it is started with. */
export interface Launch {
  program: string;
  words: readonly string[];
  folder: string;
  environment: Record<string, string>;
  /** True where the end of the program kills whatever it has started at once: that is asked to end first. */
  endsAll?: boolean;
  /** Called once it has ended, however: takes away what its end alone does not. */
  cleared?: () => Promise<void>;
}

/** Puts what is to be started into a sandbox: answers the program that starts it there. */
export type Confine = (launch: Launch) => Promise<Launch>;

/** JSON text that Postgres gets as it is: a large one is neither parsed nor written again in the thread that answers everyone. */
export class WrittenJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

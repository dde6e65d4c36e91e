/** Reason why this program does not open a data folder, as a message for the person who started it. */
export class DataFolderProblem extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = "DataFolderProblem";
  }
}

/** Why this program does not open a data folder, in a sentence for the person who started it. */
export class DataFolderProblem extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = "DataFolderProblem";
  }
}

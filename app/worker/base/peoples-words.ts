/** A file cannot be changed because of what people wrote. The message is for them. */
export class PeoplesWords extends Error {}

/** Where the front finds the text of a response, so that it need not drain a web stream for it. */
export const textOfResponse: unique symbol = Symbol.for("backloom.text");

/** A response that keeps its text as it is; bytes are made of it only when somebody asks for them. */
export class TextResponse extends Response {
  readonly [textOfResponse]: string;

  constructor(text: string, init: ResponseInit) {
    super(null, init);
    this[textOfResponse] = text;
  }

  override get body() {
    return new Response(this[textOfResponse]).body;
  }

  override async text(): Promise<string> {
    return this[textOfResponse];
  }

  override async json(): Promise<unknown> {
    return JSON.parse(this[textOfResponse]);
  }
}

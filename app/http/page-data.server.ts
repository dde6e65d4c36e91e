import { textOfResponse } from "./text-response.server";

/**
 * What a loader read, for a page that is drawn in this process. `json` would make text of it, and Remix data of the text
 * again; here text is made only for a browser that asks for the data alone.
 */
class PageData<T> extends Response {
  readonly #data: T;
  #bytes: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;

  constructor(data: T, headers?: HeadersInit) {
    super(null, headers ? { headers } : {});
    this.headers.set("content-type", "application/json; charset=utf-8");
    this.#data = data;
  }

  get [textOfResponse](): string {
    return JSON.stringify(this.#data);
  }

  /** Remix looks several times whether there is one and reads none of it. */
  override get body(): ReadableStream<Uint8Array<ArrayBuffer>> {
    this.#bytes ??= new ReadableStream(
      {
        pull: (reader) => {
          reader.enqueue(new TextEncoder().encode(this[textOfResponse]));
          reader.close();
        },
      },
      // None of it before somebody reads.
      { highWaterMark: 0 },
    );
    return this.#bytes;
  }

  override json(): Promise<T> {
    return Promise.resolve(this.#data);
  }

  override text(): Promise<string> {
    return Promise.resolve(this[textOfResponse]);
  }
}

/** The answer of a page's loader: what `json` makes, without the text. */
export function pageData<T>(data: T, headers?: HeadersInit): PageData<T> {
  return new PageData(data, headers);
}

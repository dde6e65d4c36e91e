/** A search hit for the search page and the palette. */
export interface SearchHit {
  kind: string;
  code: string;
  title: string;
  product: string | null;
  status: string | null;
  to: string;
  /** Whether the query is its code or address. */
  isNamed: boolean;
}

export interface SearchAnswer {
  query: string;
  results: SearchHit[];
}

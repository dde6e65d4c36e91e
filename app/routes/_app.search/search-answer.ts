/** A search hit for the search page and the palette. */
export interface SearchHit {
  kind: string;
  code: string;
  title: string;
  product: string | null;
  status: string | null;
  to: string;
}

export interface SearchAnswer {
  query: string;
  results: SearchHit[];
}

/** What the search page and the palette show of one hit. */
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

-- Prices per one million tokens, to turn tokens into money (specification: Other records, Model price).
create table public.model_prices (
  model_id text primary key constraint model_prices_model_id_length check (char_length(model_id) between 1 and 200),
  input_per_million numeric(12, 4) not null default 0 check (input_per_million >= 0),
  output_per_million numeric(12, 4) not null default 0 check (output_per_million >= 0),
  cache_read_per_million numeric(12, 4) not null default 0 check (cache_read_per_million >= 0),
  cache_write_per_million numeric(12, 4) not null default 0 check (cache_write_per_million >= 0),
  currency text not null default 'USD' constraint model_prices_currency_form check (currency ~ '^[A-Z]{3}$'),
  created_at timestamptz not null default private.now(),
  updated_at timestamptz not null default private.now()
);

comment on table public.model_prices is
  'Model prices (specification: Other records): per million input, output, cache read and cache write tokens.';

alter table public.model_prices enable row level security;

create policy model_prices_select on public.model_prices for select to authenticated using (true);
grant select on public.model_prices to authenticated;

create trigger _400_touch before update on public.model_prices for each row execute function private.tg_any__touch();

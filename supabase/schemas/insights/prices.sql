-- The same for every user. Definer: private.shipped_prices is not readable by users (specification: Model price).
create function operations.list_model_prices()
returns json language plpgsql stable security definer set search_path = '' as $$
begin
  return json_build_object('prices', (
    select json_agg(p.price order by p.model_id)
    from (
      select m.model_id, to_jsonb(m) || '{"shipped": null}' as price from public.model_prices m
      union all
      select s.model_id, to_jsonb(s) || jsonb_build_object('shipped', to_char(s.created_at at time zone 'UTC', 'YYYY-MM'))
      from private.shipped_prices() s
      where not exists (select from public.model_prices m where m.model_id = s.model_id)
    ) p));
end;
$$;
grant execute on function operations.list_model_prices to authenticated;

-- The makers' prices of common models, in US dollars per million tokens, from the public list at models.dev in October
-- 2026, for short prompts at normal speed. If a maker has no cache price, the input price is used. An administrator's
-- price wins. To update the list: change the rows and the date (specification: Model price).
create function private.shipped_prices()
returns setof public.model_prices language sql immutable set search_path = '' as $$
  select s.model_id, s.input, s.output, s.cache_read, s.cache_write, 'USD', '2026-10-01T00:00:00Z'::timestamptz, '2026-10-01T00:00:00Z'::timestamptz
  from (values
    -- The built-in demo agent asks no model.
    ('demo', 0, 0, 0, 0),
    -- Anthropic.
    ('claude-fable-5', 10, 50, 1, 12.5),
    ('claude-opus-5-5', 4, 20, 0.2, 5),
    ('claude-opus-5', 5, 25, 0.5, 6.25),
    ('claude-opus-4-8', 5, 25, 0.5, 6.25),
    ('claude-opus-4-7', 5, 25, 0.5, 6.25),
    ('claude-opus-4-6', 5, 25, 0.5, 6.25),
    ('claude-opus-4-5', 5, 25, 0.5, 6.25),
    ('claude-opus-4-1', 15, 75, 1.5, 18.75),
    ('claude-opus-4', 15, 75, 1.5, 18.75),
    ('claude-sonnet-5-5', 2, 10, 0.1, 2.5),
    ('claude-sonnet-5', 2, 10, 0.2, 2.5),
    ('claude-sonnet-4-6', 3, 15, 0.3, 3.75),
    ('claude-sonnet-4-5', 3, 15, 0.3, 3.75),
    ('claude-sonnet-4', 3, 15, 0.3, 3.75),
    ('claude-haiku-4-5', 1, 5, 0.1, 1.25),
    -- OpenAI.
    ('gpt-6-astra', 10, 50, 1, 12.5),
    ('gpt-5.6', 2, 10, 0.2, 2.5),
    ('gpt-5.6-sol', 2, 10, 0.2, 2.5),
    ('gpt-5.6-terra', 2.5, 15, 0.25, 2.5),
    ('gpt-5.6-luna', 1, 6, 0.1, 1),
    ('gpt-5.5', 5, 30, 0.5, 5),
    ('gpt-5.4', 2.5, 15, 0.25, 2.5),
    ('gpt-5.4-mini', 0.75, 4.5, 0.075, 0.75),
    ('gpt-5.4-nano', 0.2, 1.25, 0.02, 0.2),
    ('gpt-5.3-codex', 1.75, 14, 0.175, 1.75),
    ('gpt-5.3-codex-spark', 1.75, 14, 0.175, 1.75),
    ('gpt-5.2', 1.75, 14, 0.175, 1.75),
    ('gpt-5.2-codex', 1.75, 14, 0.175, 1.75),
    ('gpt-5.1', 1.25, 10, 0.125, 1.25),
    ('gpt-5.1-codex', 1.25, 10, 0.125, 1.25),
    ('gpt-5.1-codex-max', 1.25, 10, 0.125, 1.25),
    ('gpt-5.1-codex-mini', 0.25, 2, 0.025, 0.25),
    ('gpt-5', 1.25, 10, 0.125, 1.25),
    ('gpt-5-codex', 1.25, 10, 0.125, 1.25),
    ('gpt-5-mini', 0.25, 2, 0.025, 0.25),
    ('gpt-5-nano', 0.05, 0.4, 0.005, 0.05),
    ('gpt-4.1', 2, 8, 0.5, 2),
    ('gpt-4.1-mini', 0.4, 1.6, 0.1, 0.4),
    ('o3', 2, 8, 0.5, 2),
    ('o4-mini', 1.1, 4.4, 0.275, 1.1),
    -- Google.
    ('gemini-3.5-flash', 1.5, 9, 0.15, 1.5),
    ('gemini-3.1-pro-preview', 2, 12, 0.2, 2),
    ('gemini-3.1-flash-lite', 0.25, 1.5, 0.025, 0.25),
    ('gemini-3-flash-preview', 0.5, 3, 0.05, 0.5),
    ('gemini-2.5-pro', 1.25, 10, 0.125, 1.25),
    ('gemini-2.5-flash', 0.3, 2.5, 0.03, 0.3),
    ('gemini-2.5-flash-lite', 0.1, 0.4, 0.01, 0.1),
    -- Open models, at their makers.
    ('deepseek-v4-pro', 0.435, 0.87, 0.0036, 0.435),
    ('deepseek-v4-flash', 0.14, 0.28, 0.0028, 0.14),
    ('deepseek-chat', 0.14, 0.28, 0.0028, 0.14),
    ('deepseek-reasoner', 0.14, 0.28, 0.0028, 0.14),
    ('kimi-k2.7-code', 0.95, 4, 0.19, 0.95),
    ('kimi-k2.6', 0.95, 4, 0.16, 0.95),
    ('kimi-k2.5', 0.6, 3, 0.1, 0.6),
    ('glm-5.2', 1.4, 4.4, 0.26, 1.4),
    ('glm-5.1', 1.4, 4.4, 0.26, 1.4),
    ('glm-5', 1, 3.2, 0.2, 1),
    ('glm-4.7', 0.6, 2.2, 0.11, 0.6),
    ('MiniMax-M3', 0.3, 1.2, 0.06, 0.3),
    ('MiniMax-M2.7', 0.3, 1.2, 0.06, 0.375),
    ('qwen3.5-397b-a17b', 0.6, 3.6, 0.6, 0.6),
    ('qwen3-coder-480b-a35b-instruct', 1.5, 7.5, 1.5, 1.5)
  ) as s (model_id, input, output, cache_read, cache_write);
$$;

-- The price of a model: an administrator's price first, then the shipped one. A model is found with or without provider
-- and date: `anthropic/claude-sonnet-4-5-20250929` costs what `claude-sonnet-4-5` does (specification: Model price).
create function private.price_of(p_model_id text)
returns public.model_prices language plpgsql stable set search_path = '' as $$
declare
  v_short text := regexp_replace(regexp_replace(p_model_id, '^.*/', ''), '[-@](\d{8}|\d{4}-\d{2}-\d{2})$', '');
  v_price public.model_prices;
begin
  select m.* into v_price from public.model_prices m
  where m.model_id in (p_model_id, v_short)
  order by m.model_id = p_model_id desc
  limit 1;
  if found then
    return v_price;
  end if;
  select s.* into v_price from private.shipped_prices() s where s.model_id = v_short;
  return v_price;
end;
$$;

-- Called by the search page, the command menu and the MCP tool search: PBIs, stories and tasks of the caller's products and
-- the caller's ideas. The cursor is the one that the previous page gave.
create function public.search(
  p_query text,
  p_product_id uuid default null,
  p_kind text default null,
  p_limit integer default 20,
  p_cursor text default null
)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.parse_choice('kind', p_kind, '{pbi,story,task,idea}');
  if p_product_id is not null then
    perform private.require_product_access(p_product_id);
  end if;
  if trim(coalesce(p_query, '')) = '' then
    return json_build_object('items', '[]'::json, 'next_cursor', null);
  end if;

  return private.search(left(p_query, 200), p_product_id, p_kind, least(greatest(coalesce(p_limit, 20), 1), 50),
    case when p_cursor ~ '^[0-9]{1,6}$' then p_cursor::integer else 0 end);
end;
$$;

comment on function public.search(text, uuid, text, integer, text) is
  'Full text and code search over what the caller reaches (specification: What the service does 1, 9).';

revoke execute on function public.search(text, uuid, text, integer, text) from public, anon;
grant execute on function public.search(text, uuid, text, integer, text) to authenticated;

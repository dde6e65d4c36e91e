-- Why: a product's streams are open to its members while it is not archived.
-- Called by every read of a stream's first state, on connect and later.
create function private.require_stream_product(p_product_id uuid)
returns void
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);
  if exists (select 1 from public.products as p where p.id = p_product_id and p.archived_at is not null) then
    raise exception using
      errcode = 'PT403',
      message = 'This product is archived, so nothing changes in it. Read it through the other endpoints.';
  end if;
end;
$$;

comment on function private.require_stream_product is
  'Refuses the streams of unknown (404), foreign and archived (403) products (specification: Solo stream, Backlog stream).';
grant execute on function private.require_stream_product to authenticated;

-- Why: the first state of the backlog stream and its reader, in one statement. Called on connect and on every resync.
create function operations.read_backlog_stream(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_stream_product(p_product_id);
  return json_build_object('viewer', private.stream_viewer(), 'product_id', p_product_id);
end;
$$;

comment on function operations.read_backlog_stream is 'First state of the backlog stream (specification: Backlog stream).';
grant execute on function operations.read_backlog_stream to authenticated;

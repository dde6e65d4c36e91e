-- Why: the first state of the solo stream (active sprint, jobs, workers) and its reader, in one statement. Called on
-- connect and on every resync.
create function operations.read_solo_stream(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_stream_product(p_product_id);
  return json_build_object('viewer', private.stream_viewer(), 'solo', operations.get_solo_state(p_product_id));
end;
$$;

comment on function operations.read_solo_stream is 'First state of the solo stream (specification: Solo stream).';
grant execute on function operations.read_solo_stream to authenticated;

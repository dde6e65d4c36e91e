-- Why: an event stays under 8,000 bytes and never makes its writer fail. Long texts are cut in the event only;
-- the row keeps every character. A character takes at most six bytes in JSON, so 500 of two texts always fit.
create function private.shorten_event(p_payload jsonb)
returns jsonb
language plpgsql
immutable
set search_path = ''
as $$
begin
  -- Writing it out to measure it is the dearer way: most events are so small that even six bytes a character would do.
  if pg_column_size(p_payload) < 1300 or octet_length(p_payload::text) < 7900 then
    return p_payload;
  end if;

  return (
    select jsonb_object_agg(
      f.key,
      case when jsonb_typeof(f.value) = 'string' then to_jsonb(left(f.value #>> '{}', 500)) else f.value end
    )
    from jsonb_each(p_payload) as f
  );
end;
$$;

comment on function private.shorten_event is
  'Cuts the texts of an event that would reach 8,000 bytes (specification: Events).';

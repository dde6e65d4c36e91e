-- Why: a file keeps its id where that is free, so that what was exported reads back equal. Service only.
create function operations.taken_file_ids(p_ids jsonb)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (select coalesce(json_agg(f.id), '[]') from public.files f where f.id in (select i::uuid from jsonb_array_elements_text(p_ids) i));
end;
$$;

comment on function operations.taken_file_ids is 'Which of these ids files have already. Service only.';
grant execute on function operations.taken_file_ids to service_role;

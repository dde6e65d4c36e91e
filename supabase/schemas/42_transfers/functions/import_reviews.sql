-- Why: how people judged the work goes along with an imported portion of tasks, and what the newest review asks for is told to the next
-- attempt. There is no job here, so a review stands at its task; who wrote it stays a name. Called by import_stories with the
-- tasks and their new ids.
create function private.import_reviews(p_product_id uuid, p_tasks jsonb)
returns void
language plpgsql
volatile
set search_path = ''
as $$
declare
  v_reviews jsonb;
begin
  select jsonb_agg(r.review || jsonb_build_object('id', gen_random_uuid(), 'task_id', t -> 'id'))
  into v_reviews
  from jsonb_array_elements(p_tasks) t
  cross join lateral jsonb_array_elements(t -> 'reviews') r (review);

  insert into public.job_reviews (id, product_id, task_id, attempt, verdict, summary, author, created_at)
  select (r ->> 'id')::uuid, p_product_id, (r ->> 'task_id')::uuid, (r ->> 'attempt')::integer, r ->> 'verdict', r ->> 'summary',
    r ->> 'author', coalesce((r ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_reviews) r;

  insert into public.job_comments
    (product_id, review_id, attempt, path, line, side, line_text, body, author, created_at)
  select p_product_id, (r ->> 'id')::uuid, (c ->> 'attempt')::integer, c ->> 'path', (c ->> 'line')::integer, c ->> 'side',
    c ->> 'line_text', c ->> 'body', c ->> 'author', coalesce((c ->> 'created_at')::timestamptz, private.now())
  from jsonb_array_elements(v_reviews) r
  cross join lateral jsonb_array_elements(r -> 'comments') c;
end;
$$;

comment on function private.import_reviews is 'Reviews of an import (docs/export-format.md).';

grant execute on function private.import_reviews to service_role;

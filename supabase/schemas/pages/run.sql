-- The run page in one read: the run, its order and budgets, why it does not move, and its product's questions.
create function operations.get_run_page(p_product_id uuid, p_sprint_run_id uuid)
returns json language plpgsql stable set search_path = '' as $$
declare
  v_run json := operations.get_sprint_run(p_sprint_run_id);
begin
  return json_build_object(
    'run', v_run,
    'order', private.run_order(p_sprint_run_id),
    'budgets', operations.get_budgets(p_product_id, p_sprint_run_id),
    'why', operations.why_not_moving('run', p_sprint_run_id),
    'questions', operations.list_questions((v_run ->> 'product_id')::uuid, 'open') -> 'questions');
end;
$$;
grant execute on function operations.get_run_page to authenticated;
